import json
from random import Random

import psycopg

from api import store
from api.http import create_app
from tests.serving import Caller


def test_smoke(database_url):
    with psycopg.connect(database_url, autocommit=True) as admin:
        key = store.create_key(admin, "x")
    owner = Caller(create_app(database_url), key)
    made = owner.make("quadruple-war", 3, config={"target": 20})
    r = owner.play(made["id"], Random(1))
    a = owner.get(f"/v1/games/{made['id']}/audit")
    print(json.dumps(a["checks"], indent=0))
    rec = owner.get(f"/v1/games/{made['id']}/record")
    b = owner.post("/v1/audits", {"record": rec, "receipts": r}, 200)
    print(json.dumps(b["checks"], indent=0))
    copy = owner.post("/v1/records", rec)
    rec2 = owner.get(f"/v1/games/{copy['id']}/record")
    assert rec2 == rec
    c = owner.get(f"/v1/games/{copy['id']}/audit")
    assert c == a
    assert a["ok"] and b["ok"]
    g = owner.make("quadruple-war", 3, client_seeds="seats")
    print({k: v for k, v in g.items() if k not in ("config", "seat_tokens")})
    gp = f"/v1/games/{g['id']}"
    print(owner.get(gp + "/state?view=public")["phase"], owner.get(gp + "/legal-moves?seat=1"))
    print(owner.ask("POST", gp + "/moves", {"moves": [{"seat": 0, "type": "bid", "tricks": 3}]}))
    first = owner.as_(g["seat_tokens"][2]).post(gp + "/client-seed", {"seed": "two"})
    owner.as_(g["seat_tokens"][0]).post(gp + "/client-seed", {"seed": "zero"})
    print(owner.ask("POST", gp + "/client-seed", {"seed": "zero", "seat": 0}))
    last = owner.post(gp + "/client-seed", {"seed": "one", "seat": 1})
    print(last)
    d = owner.as_(g["seat_tokens"][0]).post(gp + "/disputes", {"totals": [1, 2, 3], "statement": "so"})
    print(d)
    more = owner.play(g["id"], Random(2), 10)
    print(owner.get(gp + "/audit")["checks"])
    owner.post(gp + "/abandon", {"reason": "x"})
    rec = owner.get(gp + "/record")
    b = owner.post("/v1/audits", {"record": rec, "receipts": [first["receipt"], last["receipt"], *more]}, 200)
    assert b["ok"], b
    print(owner.post(gp + "/disputes/1/resolution", {"resolution": "fine"}))
    print(owner.get("/.well-known/jwks.json"))
    copy = owner.post("/v1/records", rec)
    assert owner.get(f"/v1/games/{copy['id']}/record") == rec
