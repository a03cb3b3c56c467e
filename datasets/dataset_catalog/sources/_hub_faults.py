"""What the Hugging Face Hub, or the way to it, has against a dataset: the faults of its client, each in one line."""

from __future__ import annotations


def hub_fault(what: str, error: Exception, server: str) -> str:
    """Tell in one line why the dataset ``what`` could not be had from ``server``, by what the Hub's client raised."""
    from huggingface_hub import errors

    hidden = error.__cause__ if isinstance(error, errors.LocalEntryNotFoundError) else None  # raised where no file is kept here either
    cause = hidden or error
    for each in (error, cause):
        if (words := _refused(each, what, server)) is not None:
            return f"{what}: {words}"
    status = next((found for each in (error, cause) if (found := _status(each)) is not None), None)
    if status is not None:
        return f"{what}: {server} answered {status}" + ("; try again later" if status >= 500 or status == 429 else "")
    return f"{what}: {server} {_broken(cause)}"


def _refused(error: BaseException, what: str, server: str) -> str | None:
    """Tell what the Hub, or its client, says no with; ``None`` for any other fault."""
    from huggingface_hub import errors

    known: tuple[tuple[type[Exception], str], ...] = (
        (errors.GatedRepoError, f"its owner asks for consent; give it at {server}/datasets/{_name(what)}, and set HF_TOKEN"),
        (errors.DisabledRepoError, "Hugging Face has disabled this dataset"),
        (errors.RepositoryNotFoundError, "Hugging Face has no such dataset, or it is private (then set HF_TOKEN)"),
        (errors.RevisionNotFoundError, "the dataset has no such branch, tag or commit"),
        (errors.OfflineModeIsEnabled, "Hugging Face's client is set offline (HF_HUB_OFFLINE)"),
        (errors.HFValidationError, "this is no name of a dataset at Hugging Face"),
    )
    return next((words for kind, words in known if isinstance(error, kind)), None)


def _broken(cause: BaseException) -> str:
    """Tell how far the server was reached when nothing, or nonsense, came."""
    from huggingface_hub import errors

    kind = type(cause).__name__
    said = " ".join(str(cause).split())[:200] or kind
    if "Timeout" in kind:
        return f"did not answer in time ({said}); try again later"
    if "Consistency check" in said or "Protocol" in kind:
        return f"broke off while sending ({said}); try again later"
    if isinstance(cause, ValueError | KeyError | TypeError | errors.FileMetadataError):
        return f"did not answer as the Hub does ({said}); is the network a captive one, or HF_ENDPOINT wrong?"
    return f"cannot be reached ({said}); is the network there?"


def _status(error: BaseException) -> int | None:
    return getattr(getattr(error, "response", None), "status_code", None)


def _name(what: str) -> str:
    return "/".join(what.removeprefix("hf:").split("@")[0].split("/")[:2])
