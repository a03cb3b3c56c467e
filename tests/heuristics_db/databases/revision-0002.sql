BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0002');
CREATE TABLE events (
	sequence INTEGER NOT NULL, 
	at VARCHAR(32) NOT NULL, 
	action VARCHAR(16) NOT NULL, 
	version VARCHAR(64) NOT NULL, 
	channel VARCHAR(32), 
	move INTEGER, 
	previous VARCHAR(64), 
	"by" TEXT NOT NULL, 
	note TEXT NOT NULL, 
	detail TEXT NOT NULL, hash VARCHAR(64) DEFAULT '' NOT NULL, 
	PRIMARY KEY (sequence), 
	CONSTRAINT one_move_at_a_time UNIQUE (channel, move), 
	FOREIGN KEY(version) REFERENCES versions (id)
);
INSERT INTO "events" VALUES(1,'2026-12-01T04:46:57.799878+00:00','added','a59db935e2c8b1b1fbf5adaccfd3f2821ee01245ac0110e5f57fa6242557ea9f',NULL,NULL,NULL,'','the first schema','{}','4aa343f94c7797b4b3a29e16d53264f383f9db5b319dc495468828564cdf97f6');
INSERT INTO "events" VALUES(2,'2026-12-01T04:46:57.894650+00:00','validated','a59db935e2c8b1b1fbf5adaccfd3f2821ee01245ac0110e5f57fa6242557ea9f',NULL,NULL,NULL,'','','{"imported": false, "look": null, "suite": "small", "validation": "9af3c055694d3e98f11d63350afbe2f1da4cd7ee1344cb6b044c31623a9312ed"}','f32f614f3a7065201fff9d158967a07e15d3b6e3b96582945370ca8ca946e029');
CREATE TABLE history_head (
	id INTEGER NOT NULL, 
	sequence INTEGER NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "history_head" VALUES(1,2,'f32f614f3a7065201fff9d158967a07e15d3b6e3b96582945370ca8ca946e029');
CREATE TABLE validations (
	sequence INTEGER NOT NULL, 
	id VARCHAR(64) NOT NULL, 
	version VARCHAR(64) NOT NULL, 
	suite_hash TEXT NOT NULL, 
	summary TEXT NOT NULL, 
	imported INTEGER NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (sequence), 
	UNIQUE (id), 
	FOREIGN KEY(version) REFERENCES versions (id)
);
INSERT INTO "validations" VALUES(1,'9af3c055694d3e98f11d63350afbe2f1da4cd7ee1344cb6b044c31623a9312ed','a59db935e2c8b1b1fbf5adaccfd3f2821ee01245ac0110e5f57fa6242557ea9f','ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss','{"budget":{"epochs":9,"seconds":null,"trials":8},"created_at":"2026-11-30T12:00:00Z","datasets":[{"best_score":0.9,"direction":"maximize","family":"bank","fingerprint":"f-bank","metric":"auc","name":"bank","reference_score":0.7,"reserved":false,"rows":900,"task":"binary"},{"best_score":0.9,"direction":"maximize","family":"credit","fingerprint":"f-credit","metric":"auc","name":"credit","reference_score":0.7,"reserved":false,"rows":900,"task":"binary"}],"references":[{"dataset":"bank","name":"HistGradientBoosting","regret":0.25,"score":0.85,"seconds":0.0},{"dataset":"credit","name":"HistGradientBoosting","regret":0.25,"score":0.85,"seconds":0.0}],"results":[{"arm":"candidate","dataset":"bank","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.3,"score":0.8,"seconds":12.5,"seed":0,"trials":8},{"arm":"candidate","dataset":"bank","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.31,"score":0.8,"seconds":12.5,"seed":1,"trials":8},{"arm":"candidate","dataset":"bank","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.32,"score":0.8,"seconds":12.5,"seed":2,"trials":8},{"arm":"untuned","dataset":"bank","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.5,"score":0.8,"seconds":12.5,"seed":0,"trials":8},{"arm":"untuned","dataset":"bank","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.51,"score":0.8,"seconds":12.5,"seed":1,"trials":8},{"arm":"untuned","dataset":"bank","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.52,"score":0.8,"seconds":12.5,"seed":2,"trials":8},{"arm":"candidate","dataset":"credit","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.4,"score":0.8,"seconds":12.5,"seed":0,"trials":8},{"arm":"candidate","dataset":"credit","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.41000000000000003,"score":0.8,"seconds":12.5,"seed":1,"trials":8},{"arm":"candidate","dataset":"credit","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.42000000000000004,"score":0.8,"seconds":12.5,"seed":2,"trials":8},{"arm":"untuned","dataset":"credit","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.5,"score":0.8,"seconds":12.5,"seed":0,"trials":8},{"arm":"untuned","dataset":"credit","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.51,"score":0.8,"seconds":12.5,"seed":1,"trials":8},{"arm":"untuned","dataset":"credit","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.52,"score":0.8,"seconds":12.5,"seed":2,"trials":8}],"seeds":[0,1,2],"suite":"small","suite_hash":"ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss","untuned_space_hash":"uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu","validation_id":"v1","version":"a59db935e2c8b1b1fbf5adaccfd3f2821ee01245ac0110e5f57fa6242557ea9f","versions":{"ludwig":"0.17.10"}}',0,'2026-12-01T04:46:57.894650+00:00');
CREATE TABLE versions (
	id VARCHAR(64) NOT NULL, 
	schema_version INTEGER NOT NULL, 
	document TEXT NOT NULL, 
	note TEXT NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "versions" VALUES('a59db935e2c8b1b1fbf5adaccfd3f2821ee01245ac0110e5f57fa6242557ea9f',1,'{"modalities":{"tabular":{"early_stopping":{"evidence":null,"grace_period":2,"max_epochs":9,"reason":"","reduction_factor":3.0},"limits":{"epochs":9,"reason":"","trials":16},"model_choice":{"evidence":{"datasets":["adult","wine"],"effect":-0.1,"interval":[-0.2,-0.02],"method":"leave one family out","note":"","trials":24,"unit":"normalised regret"},"order":["concat","tabnet"],"reason":"lowest","regret":{"concat":0.2,"tabnet":0.3}},"model_types":{"concat":{"portfolio":[{"best_on":[],"configuration":{"combiner.dropout":0.1,"trainer.batch_size":256,"trainer.learning_rate":0.003},"evidence":null,"model_type":"concat"}],"resources":null,"space":{"hyperparameters":[{"condition":null,"domain":{"high":0.05,"kind":"float","log":true,"low":0.001},"evidence":{"datasets":["adult","wine"],"effect":-0.1,"interval":[-0.2,-0.02],"method":"leave one family out","note":"","trials":24,"unit":"normalised regret"},"fixed":null,"importance":null,"name":"trainer.learning_rate","reason":"","searched":true,"weights":null},{"condition":null,"domain":{"choices":[64,128,256],"kind":"categorical"},"evidence":null,"fixed":null,"importance":null,"name":"trainer.batch_size","reason":"","searched":true,"weights":null},{"condition":null,"domain":{"high":0.5,"kind":"float","log":false,"low":0.0},"evidence":null,"fixed":0.1,"importance":null,"name":"combiner.dropout","reason":"","searched":false,"weights":null}],"model_type":"concat"}},"tabnet":{"portfolio":[{"best_on":["wine"],"configuration":{"trainer.batch_size":128,"trainer.learning_rate":0.02},"evidence":null,"model_type":"tabnet"}],"resources":null,"space":{"hyperparameters":[{"condition":null,"domain":{"high":0.05,"kind":"float","log":true,"low":0.001},"evidence":{"datasets":["adult","wine"],"effect":-0.1,"interval":[-0.2,-0.02],"method":"leave one family out","note":"","trials":24,"unit":"normalised regret"},"fixed":null,"importance":null,"name":"trainer.learning_rate","reason":"","searched":true,"weights":null},{"condition":null,"domain":{"choices":[64,128,256],"kind":"categorical"},"evidence":null,"fixed":null,"importance":null,"name":"trainer.batch_size","reason":"","searched":true,"weights":null}],"model_type":"tabnet"}}},"portfolio":[{"best_on":[],"configuration":{"combiner.dropout":0.1,"trainer.batch_size":256,"trainer.learning_rate":0.003},"evidence":null,"model_type":"concat"},{"best_on":["wine"],"configuration":{"trainer.batch_size":128,"trainer.learning_rate":0.02},"evidence":null,"model_type":"tabnet"}],"tasks":{}}},"provenance":{"backtest":{},"datasets":[{"best_score":0.9,"family":"census","fingerprint":"f-adult","metric":"auc","name":"adult","reference":"median of the drawn configurations","reference_score":0.8,"role":"training","rows":1000,"sketch":[1,2],"task":"binary","trials":12},{"best_score":0.9,"family":"wine","fingerprint":"f-wine","metric":"log_loss","name":"wine","reference":"median of the drawn configurations","reference_score":0.8,"role":"training","rows":1000,"sketch":[1,2],"task":"multiclass","trials":12}],"failed_trials":1,"recipe":{"level":0.5,"seed":0},"sweeps":["s1"],"trial_set_hash":"tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt","trials":24,"untuned_space_hash":"uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu","versions":{"ludwig":"0.17.10","motherlode":"0.1.0","torch":"2.14.1"}},"schema_version":1}','the first schema','2026-12-01T04:46:57.799878+00:00');
CREATE INDEX ix_validations_version ON validations (version);
CREATE TRIGGER versions_no_delete BEFORE DELETE ON versions BEGIN SELECT RAISE(ABORT, 'versions is append-only'); END;
CREATE TRIGGER validations_no_update BEFORE UPDATE ON validations BEGIN SELECT RAISE(ABORT, 'validations is append-only'); END;
CREATE TRIGGER validations_no_delete BEFORE DELETE ON validations BEGIN SELECT RAISE(ABORT, 'validations is append-only'); END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events is append-only'); END;
CREATE INDEX ix_events_version ON events (version, action, sequence);
CREATE INDEX ix_events_action ON events (action, sequence);
CREATE INDEX ix_events_channel ON events (channel, sequence);
CREATE INDEX ix_events_previous ON events (previous);
CREATE TRIGGER events_no_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events is append-only'); END;
CREATE TRIGGER events_chained BEFORE INSERT ON events WHEN NEW.hash = '' BEGIN SELECT RAISE(ABORT, 'the database has a newer schema by now: start this program anew'); END;
CREATE TRIGGER history_head_no_delete BEFORE DELETE ON history_head BEGIN SELECT RAISE(ABORT, 'history_head stays'); END;
CREATE TRIGGER versions_no_update BEFORE UPDATE ON versions WHEN NOT (
    NEW.document = '' AND NEW.id = OLD.id AND NEW.schema_version = OLD.schema_version
    AND NEW.note = OLD.note AND NEW.created_at = OLD.created_at
    AND EXISTS (SELECT 1 FROM events WHERE version = OLD.id AND action = 'collected')
    AND NOT EXISTS (SELECT 1 FROM events WHERE move IS NOT NULL AND (version = OLD.id OR previous = OLD.id))
) BEGIN SELECT RAISE(ABORT, 'versions is append-only'); END;
COMMIT;
