BEGIN TRANSACTION;
CREATE TABLE event (
	seq BIGINT NOT NULL, 
	at_ms BIGINT NOT NULL, 
	kind TEXT NOT NULL, 
	intent TEXT, 
	text TEXT NOT NULL, 
	prev TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	PRIMARY KEY (seq)
);
INSERT INTO "event" VALUES(1,1796040000000,'genesis',NULL,'{"at_ms":1796040000000,"body":{"desk_id":"00f487c8268d0592a499021dffe26dd2","key_scopes":{},"matrix_digest":"1111111111111111111111111111111111111111111111111111111111111111","policy_digest":"0000000000000000000000000000000000000000000000000000000000000000","schema":1,"tag":"ppz8w","version":"1.0"},"intent":null,"kind":"genesis","seq":1}','0000000000000000000000000000000000000000000000000000000000000000','e1fb3ac119749f4fba50d503783ae99ba3e60fdce58af1ae899791fa48dc911e');
INSERT INTO "event" VALUES(2,1796040000000,'opened',NULL,'{"at_ms":1796040000000,"body":{"epoch":1,"key_scopes":{},"matrix_digest":"1111111111111111111111111111111111111111111111111111111111111111","policy_digest":"0000000000000000000000000000000000000000000000000000000000000000","schema":1,"version":"1.0"},"intent":null,"kind":"opened","seq":2}','e1fb3ac119749f4fba50d503783ae99ba3e60fdce58af1ae899791fa48dc911e','a30a8d17b5625a35991bc1be62d33938ded503fc6877acde7768f249a5850975');
INSERT INTO "event" VALUES(3,1796040000000,'proposed','i1','{"at_ms":1796040000000,"body":{"client":"claude","currency":"USDT","distinct_from":null,"effect":"opens","expires_ms":1796043600000,"fingerprint":"24be2f7498928cf595161d92c24497206fca57d84baa264b1a0ceec7dbd820fa","origin":"client","plan":{"account":"main","account_id":"1234","action":"place","environment":"sim","key_id":"kkkkkkkkkkkkkkkk","market":{"base":"BTC","contract_size":null,"market_id":"BTCUSDT","market_type":"spot","quote":"USDT","settle":null,"symbol":"BTC/USDT"},"request":{"api":"private","parameters":{"symbol":"BTCUSDT"},"path":"order","verb":"POST"},"venue":"binance","window_ms":5000,"write":{"amount":"0.5","client_order_id":"xtag0001","cost":null,"is_post_only":false,"is_reduce_only":false,"price":"100.0","side":"buy","symbol":"BTC/USDT","time_in_force":null,"trigger_price":null,"type":"limit"}},"plan_digest":"bb331ee5871fe8bd345cd9cdfc8e3c8003a4e446715cd764108457c14ea486c8","preview":{"notional":"50.00"},"preview_digest":"c4bf238738c05315cded9579079e7a681f0ee4f33b4ccf368a080fde47915c35","proposal_id":"p1","request_digest":"24be2f7498928cf595161d92c24497206fca57d84baa264b1a0ceec7dbd820fa","worst_notional":"50.00"},"intent":"i1","kind":"proposed","seq":3}','a30a8d17b5625a35991bc1be62d33938ded503fc6877acde7768f249a5850975','4ceb291b9cef685f25bce80d021534e082907cd3dc1fcf5072fb7736bd4cede9');
INSERT INTO "event" VALUES(4,1796040000000,'permitted','i1','{"at_ms":1796040000000,"body":{"decision":{"rules":[]},"policy_digest":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","reason":"within limits"},"intent":"i1","kind":"permitted","seq":4}','4ceb291b9cef685f25bce80d021534e082907cd3dc1fcf5072fb7736bd4cede9','07175ced7be35ad2e72af7ce7ebdf90e4de98c758c6bf72456d647a38a56bb9f');
INSERT INTO "event" VALUES(5,1796040000000,'granted','i1','{"at_ms":1796040000000,"body":{"approvers":["ada"],"expires_ms":1796040120000,"from":"proposed","nonce":"n-i1","plan_digest":"bb331ee5871fe8bd345cd9cdfc8e3c8003a4e446715cd764108457c14ea486c8","policy_digest":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","preview_digest":"c4bf238738c05315cded9579079e7a681f0ee4f33b4ccf368a080fde47915c35","record":"signed","to":"approved"},"intent":"i1","kind":"granted","seq":5}','07175ced7be35ad2e72af7ce7ebdf90e4de98c758c6bf72456d647a38a56bb9f','03f9dab2428a3115d2241ca43ca7d21ad845e855857077f2266ee4b39b60cbcb');
INSERT INTO "event" VALUES(6,1796040000000,'claimed','i1','{"at_ms":1796040000000,"body":{"currency":"USDT","from":"approved","latest_ms":1796040006000,"nonce":"n-i1","policy_digest":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","recheck":{"age_ms":40},"reserved":"50.00","to":"dispatching","venue_ahead_ms":0,"worst_notional":null},"intent":"i1","kind":"claimed","seq":6}','03f9dab2428a3115d2241ca43ca7d21ad845e855857077f2266ee4b39b60cbcb','8ee7c8d39b4f65ed2ec48a4370b2446b81e1cd8edd11b48c06a20d537e5b7c00');
INSERT INTO "event" VALUES(7,1796040000000,'settled','i1','{"at_ms":1796040000000,"body":{"evidence":{"action":"place","body":null,"client_order_id":null,"exception":null,"is_sent":true,"is_token_spent":false,"leverage":null,"order_id":null,"status":null,"url":"https://api.binance.com/api/v3/order","venue":"binance"},"from":"dispatching","to":"accepted","verdict":{"ground":"200","order_id":"venue1","outcome":"accepted","reason":"as the venue said"}},"intent":"i1","kind":"settled","seq":7}','8ee7c8d39b4f65ed2ec48a4370b2446b81e1cd8edd11b48c06a20d537e5b7c00','2e0e2891df30eaba40fa75d687dc74e32af13415a070342bf4d005afb1af6367');
INSERT INTO "event" VALUES(8,1796040000000,'read_back','i1','{"at_ms":1796040000000,"body":{"from":"accepted","order_id":"venue1","proof":{"seen":"client_id"},"reason":"found","to":"placed"},"intent":"i1","kind":"read_back","seq":8}','2e0e2891df30eaba40fa75d687dc74e32af13415a070342bf4d005afb1af6367','c629ebf8b9e30a56d21c7aaddb83da7e2f12e19191ba403bd8ee038c5a7ae181');
INSERT INTO "event" VALUES(9,1796040000000,'proposed','i2','{"at_ms":1796040000000,"body":{"client":"claude","currency":"USDT","distinct_from":null,"effect":"opens","expires_ms":1796043600000,"fingerprint":"f4eb958e74a1a089179f3a0f3136918ffd7d14a59bc74fb3e0a18ca650cf16bb","origin":"client","plan":{"account":"main","account_id":"1234","action":"place","environment":"sim","key_id":"kkkkkkkkkkkkkkkk","market":{"base":"ETH","contract_size":null,"market_id":"ETHUSDT","market_type":"spot","quote":"USDT","settle":null,"symbol":"ETH/USDT"},"request":{"api":"private","parameters":{"symbol":"ETHUSDT"},"path":"order","verb":"POST"},"venue":"binance","window_ms":5000,"write":{"amount":"0.5","client_order_id":"xtag0002","cost":null,"is_post_only":false,"is_reduce_only":false,"price":"100.0","side":"buy","symbol":"BTC/USDT","time_in_force":null,"trigger_price":null,"type":"limit"}},"plan_digest":"78496af0f959e26c4561b690acbe44dcc24b476384f99d1395c8b82c278421e3","preview":{"notional":"50.00"},"preview_digest":"c4bf238738c05315cded9579079e7a681f0ee4f33b4ccf368a080fde47915c35","proposal_id":"p2","request_digest":"24be2f7498928cf595161d92c24497206fca57d84baa264b1a0ceec7dbd820fa","worst_notional":"50.00"},"intent":"i2","kind":"proposed","seq":9}','c629ebf8b9e30a56d21c7aaddb83da7e2f12e19191ba403bd8ee038c5a7ae181','6b38d34f8df315e44f6a3b8c7aaadcd2da5c0e9e7280386256ed16937fc75c1c');
INSERT INTO "event" VALUES(10,1796040000000,'halted',NULL,'{"at_ms":1796040000000,"body":{"account":null,"by":"ada","reason":"drill"},"intent":null,"kind":"halted","seq":10}','6b38d34f8df315e44f6a3b8c7aaadcd2da5c0e9e7280386256ed16937fc75c1c','2fbf2dfc123379fcc3062421b2805175b58c3095ec35a45e606e1e2ca2272181');
INSERT INTO "event" VALUES(11,1796040000000,'resumed',NULL,'{"at_ms":1796040000000,"body":{"account":null,"signed":{"approver":"ada","nonce":"s1","record":"signed"}},"intent":null,"kind":"resumed","seq":11}','2fbf2dfc123379fcc3062421b2805175b58c3095ec35a45e606e1e2ca2272181','cd03fd1c0b783c00764643e6cc1a2a1ef0770a34b6661b2d9314e48ea42c7194');
INSERT INTO "event" VALUES(12,1796040000000,'checkpoint',NULL,'{"at_ms":1796040000000,"body":{"count":11,"epoch":1,"head":"cd03fd1c0b783c00764643e6cc1a2a1ef0770a34b6661b2d9314e48ea42c7194"},"intent":null,"kind":"checkpoint","seq":12}','cd03fd1c0b783c00764643e6cc1a2a1ef0770a34b6661b2d9314e48ea42c7194','3557dbd081ef460911675e92a50e07eb1cc670aaa235c477dc44e26ab4681dee');
CREATE TABLE fact (
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "fact" VALUES('schema','1');
INSERT INTO "fact" VALUES('desk_id','00f487c8268d0592a499021dffe26dd2');
INSERT INTO "fact" VALUES('tag','ppz8w');
INSERT INTO "fact" VALUES('epoch','1');
CREATE TABLE halt (
	account TEXT NOT NULL, 
	at_ms BIGINT NOT NULL, 
	"by" TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	PRIMARY KEY (account)
);
CREATE TABLE intent (
	id TEXT NOT NULL, 
	seq BIGINT NOT NULL, 
	proposal_id TEXT NOT NULL, 
	client TEXT NOT NULL, 
	origin TEXT NOT NULL, 
	request_digest TEXT NOT NULL, 
	account TEXT NOT NULL, 
	venue TEXT NOT NULL, 
	key_id TEXT NOT NULL, 
	action TEXT NOT NULL, 
	underlying TEXT NOT NULL, 
	market_id TEXT NOT NULL, 
	side TEXT, 
	effect TEXT, 
	is_reduce_only BOOLEAN NOT NULL, 
	fingerprint TEXT NOT NULL, 
	client_order_id TEXT, 
	plan_text TEXT NOT NULL, 
	plan_digest TEXT NOT NULL, 
	preview_text TEXT NOT NULL, 
	preview_digest TEXT NOT NULL, 
	worst_notional TEXT, 
	currency TEXT NOT NULL, 
	distinct_from TEXT, 
	created_ms BIGINT NOT NULL, 
	expires_ms BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	changed_ms BIGINT NOT NULL, 
	policy_digest TEXT, 
	claimed_ms BIGINT, 
	latest_ms BIGINT, 
	order_id TEXT, 
	reason TEXT NOT NULL, 
	resolved_by TEXT, 
	note TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (seq), 
	FOREIGN KEY(seq) REFERENCES event (seq), 
	UNIQUE (proposal_id), 
	UNIQUE (client_order_id)
);
INSERT INTO "intent" VALUES('i1',3,'p1','claude','client','24be2f7498928cf595161d92c24497206fca57d84baa264b1a0ceec7dbd820fa','main','binance','kkkkkkkkkkkkkkkk','place','BTC','BTCUSDT','buy','opens',0,'24be2f7498928cf595161d92c24497206fca57d84baa264b1a0ceec7dbd820fa','xtag0001','{"account":"main","account_id":"1234","action":"place","environment":"sim","key_id":"kkkkkkkkkkkkkkkk","market":{"base":"BTC","contract_size":null,"market_id":"BTCUSDT","market_type":"spot","quote":"USDT","settle":null,"symbol":"BTC/USDT"},"request":{"api":"private","parameters":{"symbol":"BTCUSDT"},"path":"order","verb":"POST"},"venue":"binance","window_ms":5000,"write":{"amount":"0.5","client_order_id":"xtag0001","cost":null,"is_post_only":false,"is_reduce_only":false,"price":"100.0","side":"buy","symbol":"BTC/USDT","time_in_force":null,"trigger_price":null,"type":"limit"}}','bb331ee5871fe8bd345cd9cdfc8e3c8003a4e446715cd764108457c14ea486c8','{"notional":"50.00"}','c4bf238738c05315cded9579079e7a681f0ee4f33b4ccf368a080fde47915c35','50.00','USDT',NULL,1796040000000,1796043600000,'placed',1796040000000,'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',1796040000000,1796040006000,'venue1','found',NULL,NULL);
INSERT INTO "intent" VALUES('i2',9,'p2','claude','client','24be2f7498928cf595161d92c24497206fca57d84baa264b1a0ceec7dbd820fa','main','binance','kkkkkkkkkkkkkkkk','place','ETH','ETHUSDT','buy','opens',0,'f4eb958e74a1a089179f3a0f3136918ffd7d14a59bc74fb3e0a18ca650cf16bb','xtag0002','{"account":"main","account_id":"1234","action":"place","environment":"sim","key_id":"kkkkkkkkkkkkkkkk","market":{"base":"ETH","contract_size":null,"market_id":"ETHUSDT","market_type":"spot","quote":"USDT","settle":null,"symbol":"ETH/USDT"},"request":{"api":"private","parameters":{"symbol":"ETHUSDT"},"path":"order","verb":"POST"},"venue":"binance","window_ms":5000,"write":{"amount":"0.5","client_order_id":"xtag0002","cost":null,"is_post_only":false,"is_reduce_only":false,"price":"100.0","side":"buy","symbol":"BTC/USDT","time_in_force":null,"trigger_price":null,"type":"limit"}}','78496af0f959e26c4561b690acbe44dcc24b476384f99d1395c8b82c278421e3','{"notional":"50.00"}','c4bf238738c05315cded9579079e7a681f0ee4f33b4ccf368a080fde47915c35','50.00','USDT',NULL,1796040000000,1796043600000,'proposed',1796040000000,NULL,NULL,NULL,NULL,'waiting for a decision',NULL,NULL);
CREATE TABLE nonce (
	nonce TEXT NOT NULL, 
	purpose TEXT NOT NULL, 
	intent TEXT, 
	plan_digest TEXT, 
	preview_digest TEXT, 
	policy_digest TEXT, 
	expires_ms BIGINT, 
	spent_ms BIGINT, 
	PRIMARY KEY (nonce), 
	FOREIGN KEY(intent) REFERENCES intent (id)
);
INSERT INTO "nonce" VALUES('n-i1','grant','i1','bb331ee5871fe8bd345cd9cdfc8e3c8003a4e446715cd764108457c14ea486c8','c4bf238738c05315cded9579079e7a681f0ee4f33b4ccf368a080fde47915c35','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',1796040120000,1796040000000);
INSERT INTO "nonce" VALUES('s1','resume',NULL,NULL,NULL,NULL,NULL,1796040000000);
CREATE TABLE stranger (
	account TEXT NOT NULL, 
	client_order_id TEXT NOT NULL, 
	first_ms BIGINT NOT NULL, 
	PRIMARY KEY (account, client_order_id)
);
CREATE INDEX event_of_kind ON event (kind, seq);
CREATE INDEX event_of_intent ON event (intent, seq);
CREATE UNIQUE INDEX intent_live_once ON intent (fingerprint, coalesce(distinct_from, '')) WHERE state IN ('proposed', 'approved', 'dispatching', 'accepted', 'unknown');
CREATE INDEX intent_about ON intent (account, underlying);
CREATE INDEX intent_fingerprint ON intent (fingerprint);
CREATE INDEX intent_in_state ON intent (state);
CREATE INDEX intent_claimed ON intent (claimed_ms);
CREATE INDEX nonce_of_intent ON nonce (intent);
CREATE TRIGGER event_is_never_replaced BEFORE INSERT ON event
WHEN EXISTS (SELECT 1 FROM event AS held WHERE held.seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'a row of event is never replaced'); END;
CREATE TRIGGER intent_is_never_replaced BEFORE INSERT ON intent
WHEN EXISTS (SELECT 1 FROM intent AS held WHERE held.id = NEW.id OR held.seq = NEW.seq OR held.proposal_id = NEW.proposal_id OR held.client_order_id = NEW.client_order_id)
BEGIN SELECT RAISE(ABORT, 'a row of intent is never replaced'); END;
CREATE TRIGGER nonce_is_never_replaced BEFORE INSERT ON nonce
WHEN EXISTS (SELECT 1 FROM nonce AS held WHERE held.nonce = NEW.nonce)
BEGIN SELECT RAISE(ABORT, 'a row of nonce is never replaced'); END;
CREATE TRIGGER intent_keeps_its_names BEFORE UPDATE ON intent
WHEN NEW.id IS NOT OLD.id OR NEW.seq IS NOT OLD.seq OR NEW.proposal_id IS NOT OLD.proposal_id
    OR NEW.client_order_id IS NOT OLD.client_order_id OR NEW.plan_text IS NOT OLD.plan_text
BEGIN SELECT RAISE(ABORT, 'what an intent is never changes'); END;
CREATE TRIGGER intent_is_claimed_once BEFORE UPDATE ON intent
WHEN OLD.claimed_ms IS NOT NULL AND (NEW.claimed_ms IS NOT OLD.claimed_ms
    OR NEW.state IN ('proposed', 'approved') OR (NEW.state = 'dispatching' AND OLD.state <> 'dispatching'))
BEGIN SELECT RAISE(ABORT, 'an intent is claimed once'); END;
CREATE TRIGGER nonce_keeps_its_name BEFORE UPDATE ON nonce WHEN NEW.nonce IS NOT OLD.nonce
BEGIN SELECT RAISE(ABORT, 'a nonce is taken for ever'); END;
CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
CREATE TRIGGER intent_is_never_deleted BEFORE DELETE ON intent
BEGIN SELECT RAISE(ABORT, 'an intent is never deleted'); END;
CREATE TRIGGER nonce_is_never_deleted BEFORE DELETE ON nonce
BEGIN SELECT RAISE(ABORT, 'a nonce is never deleted'); END;
CREATE TRIGGER nonce_is_spent_once BEFORE UPDATE ON nonce WHEN OLD.spent_ms IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a nonce is spent once'); END;
COMMIT;
