"""kopf at reconcile work: one create handler that patches the status."""

import datetime
import json
import os

import kopf

N = int(os.environ["BENCH_N"])
done = set()


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_):
    settings.posting.enabled = False


@kopf.on.create("bench.drover.dev", "v1", "widgets")
async def created(patch, **_):
    patch.status["done"] = True
    patch.status["at"] = datetime.datetime.now(datetime.timezone.utc).isoformat()


@kopf.on.event("bench.drover.dev", "v1", "widgets")
async def told(name, status, **_):
    if status.get("done") and name not in done:
        done.add(name)
        if len(done) == N:
            print(json.dumps({"event": "done", "n": N}), flush=True)
