"""How a mined policy is fitted and how it is applied, side by side; backtest and AutoML run the very same code."""
