BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
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
	detail TEXT NOT NULL, 
	PRIMARY KEY (sequence), 
	CONSTRAINT one_move_at_a_time UNIQUE (channel, move), 
	FOREIGN KEY(version) REFERENCES versions (id)
);
INSERT INTO "events" VALUES(1,'2026-11-30T20:48:46.593208+00:00','added','f4bf9fe9edaf1b39ec1088ebbb1c8b7f7509fe8f4ab4bfbadf148dc51b70d454',NULL,NULL,NULL,'','the first schema','{}');
INSERT INTO "events" VALUES(2,'2026-11-30T20:48:46.602957+00:00','validated','f4bf9fe9edaf1b39ec1088ebbb1c8b7f7509fe8f4ab4bfbadf148dc51b70d454',NULL,NULL,NULL,'','','{"imported": false, "suite": "small", "validation": "f282680a9f47f54f89a71df636ba151d38ea0c107caaebb6ab4cbdb0ede6b926"}');
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
INSERT INTO "validations" VALUES(1,'f282680a9f47f54f89a71df636ba151d38ea0c107caaebb6ab4cbdb0ede6b926','f4bf9fe9edaf1b39ec1088ebbb1c8b7f7509fe8f4ab4bfbadf148dc51b70d454','ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss','{"budget":{"epochs":9,"seconds":null,"trials":8},"created_at":"2026-11-30T12:00:00Z","datasets":[{"best_score":0.9,"direction":"maximize","family":"bank","fingerprint":"f-bank","metric":"auc","name":"bank","reference_score":0.7,"rows":900,"task":"binary"},{"best_score":0.9,"direction":"maximize","family":"credit","fingerprint":"f-credit","metric":"auc","name":"credit","reference_score":0.7,"rows":900,"task":"binary"}],"references":[{"dataset":"bank","name":"HistGradientBoosting","regret":0.25,"score":0.85,"seconds":0.0},{"dataset":"credit","name":"HistGradientBoosting","regret":0.25,"score":0.85,"seconds":0.0}],"results":[{"arm":"candidate","dataset":"bank","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.3,"score":0.8,"seconds":12.5,"seed":0,"trials":8},{"arm":"candidate","dataset":"bank","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.31,"score":0.8,"seconds":12.5,"seed":1,"trials":8},{"arm":"candidate","dataset":"bank","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.32,"score":0.8,"seconds":12.5,"seed":2,"trials":8},{"arm":"untuned","dataset":"bank","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.5,"score":0.8,"seconds":12.5,"seed":0,"trials":8},{"arm":"untuned","dataset":"bank","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.51,"score":0.8,"seconds":12.5,"seed":1,"trials":8},{"arm":"untuned","dataset":"bank","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.52,"score":0.8,"seconds":12.5,"seed":2,"trials":8},{"arm":"candidate","dataset":"credit","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.4,"score":0.8,"seconds":12.5,"seed":0,"trials":8},{"arm":"candidate","dataset":"credit","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.41000000000000003,"score":0.8,"seconds":12.5,"seed":1,"trials":8},{"arm":"candidate","dataset":"credit","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.42000000000000004,"score":0.8,"seconds":12.5,"seed":2,"trials":8},{"arm":"untuned","dataset":"credit","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.5,"score":0.8,"seconds":12.5,"seed":0,"trials":8},{"arm":"untuned","dataset":"credit","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.51,"score":0.8,"seconds":12.5,"seed":1,"trials":8},{"arm":"untuned","dataset":"credit","epochs":40,"error":null,"failed_trials":0,"model_type":null,"regret":0.52,"score":0.8,"seconds":12.5,"seed":2,"trials":8}],"seeds":[0,1,2],"suite":"small","suite_hash":"ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss","untuned_space_hash":"uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu","validation_id":"v1","version":"f4bf9fe9edaf1b39ec1088ebbb1c8b7f7509fe8f4ab4bfbadf148dc51b70d454","versions":{"ludwig":"0.17.10"}}',0,'2026-11-30T20:48:46.602154+00:00');
CREATE TABLE versions (
	id VARCHAR(64) NOT NULL, 
	schema_version INTEGER NOT NULL, 
	document TEXT NOT NULL, 
	note TEXT NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "versions" VALUES('f4bf9fe9edaf1b39ec1088ebbb1c8b7f7509fe8f4ab4bfbadf148dc51b70d454',1,'{"modalities":{"tabular":{"early_stopping":{"evidence":null,"grace_period":2,"max_epochs":9,"reason":"","reduction_factor":3.0},"limits":{"epochs":9,"reason":"","trials":16},"model_choice":{"evidence":{"datasets":["adult","wine"],"effect":-0.1,"interval":[-0.2,-0.02],"method":"leave one family out","note":"","trials":24,"unit":"normalised regret"},"order":["concat","tabnet"],"reason":"lowest","regret":{"concat":0.2,"tabnet":0.3}},"model_types":{"concat":{"portfolio":[{"best_on":[],"configuration":{"combiner.dropout":0.1,"trainer.batch_size":256,"trainer.learning_rate":0.003},"evidence":null,"model_type":"concat"}],"resources":null,"space":{"hyperparameters":[{"condition":null,"domain":{"high":0.05,"kind":"float","log":true,"low":0.001},"evidence":{"datasets":["adult","wine"],"effect":-0.1,"interval":[-0.2,-0.02],"method":"leave one family out","note":"","trials":24,"unit":"normalised regret"},"fixed":null,"importance":null,"name":"trainer.learning_rate","reason":"","searched":true,"weights":null},{"condition":null,"domain":{"choices":[64,128,256],"kind":"categorical"},"evidence":null,"fixed":null,"importance":null,"name":"trainer.batch_size","reason":"","searched":true,"weights":null},{"condition":null,"domain":{"high":0.5,"kind":"float","log":false,"low":0.0},"evidence":null,"fixed":0.1,"importance":null,"name":"combiner.dropout","reason":"","searched":false,"weights":null}],"model_type":"concat"}},"tabnet":{"portfolio":[{"best_on":["wine"],"configuration":{"trainer.batch_size":128,"trainer.learning_rate":0.02},"evidence":null,"model_type":"tabnet"}],"resources":null,"space":{"hyperparameters":[{"condition":null,"domain":{"high":0.05,"kind":"float","log":true,"low":0.001},"evidence":{"datasets":["adult","wine"],"effect":-0.1,"interval":[-0.2,-0.02],"method":"leave one family out","note":"","trials":24,"unit":"normalised regret"},"fixed":null,"importance":null,"name":"trainer.learning_rate","reason":"","searched":true,"weights":null},{"condition":null,"domain":{"choices":[64,128,256],"kind":"categorical"},"evidence":null,"fixed":null,"importance":null,"name":"trainer.batch_size","reason":"","searched":true,"weights":null}],"model_type":"tabnet"}}},"portfolio":[{"best_on":[],"configuration":{"combiner.dropout":0.1,"trainer.batch_size":256,"trainer.learning_rate":0.003},"evidence":null,"model_type":"concat"},{"best_on":["wine"],"configuration":{"trainer.batch_size":128,"trainer.learning_rate":0.02},"evidence":null,"model_type":"tabnet"}]}},"provenance":{"backtest":{},"datasets":[{"best_score":0.9,"family":"census","fingerprint":"f-adult","metric":"auc","name":"adult","reference":"median of the drawn configurations","reference_score":0.8,"role":"training","rows":1000,"sketch":[1,2],"task":"binary","trials":12},{"best_score":0.9,"family":"wine","fingerprint":"f-wine","metric":"log_loss","name":"wine","reference":"median of the drawn configurations","reference_score":0.8,"role":"training","rows":1000,"sketch":[1,2],"task":"multiclass","trials":12}],"failed_trials":1,"recipe":{"level":0.5,"seed":0},"sweeps":["s1"],"trial_set_hash":"tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt","trials":24,"untuned_space_hash":"uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu","versions":{"ludwig":"0.17.10","motherlode":"0.1.0","torch":"2.14.1"}},"schema_version":1}','the first schema','2026-11-30T20:48:46.592577+00:00');
CREATE INDEX ix_validations_version ON validations (version);
CREATE INDEX ix_events_version ON events (version);
CREATE TRIGGER versions_no_update BEFORE UPDATE ON versions BEGIN SELECT RAISE(ABORT, 'versions is append-only'); END;
CREATE TRIGGER versions_no_delete BEFORE DELETE ON versions BEGIN SELECT RAISE(ABORT, 'versions is append-only'); END;
CREATE TRIGGER validations_no_update BEFORE UPDATE ON validations BEGIN SELECT RAISE(ABORT, 'validations is append-only'); END;
CREATE TRIGGER validations_no_delete BEFORE DELETE ON validations BEGIN SELECT RAISE(ABORT, 'validations is append-only'); END;
CREATE TRIGGER events_no_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events is append-only'); END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events is append-only'); END;
COMMIT;
