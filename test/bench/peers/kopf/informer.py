"""kopf at informer work: an on.event handler that keeps the bodies. `kopf.index` is not used: its readiness barrier does not end at 10,000 objects."""

import hashlib
import json
import os
import sys
import threading

import kopf

N = int(os.environ["BENCH_N"])
MARKER = os.environ.get("BENCH_MARKER", "")
store = {}
state = {"events": 0, "synced": False}


def emit(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def answer_digests():
    for _ in sys.stdin:
        lines = sorted(
            f"{namespace}/{name}/{body['metadata']['resourceVersion']}\n"
            for (namespace, name), body in list(store.items())
        )
        digest = hashlib.sha256("".join(lines).encode()).hexdigest()
        emit("digest", digest=digest, objects=len(lines))


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_):
    settings.posting.enabled = False
    threading.Thread(target=answer_digests, daemon=True).start()


@kopf.on.event("pods")
async def told(event, namespace, name, body, labels, **_):
    state["events"] += 1
    if event["type"] == "DELETED":
        store.pop((namespace, name), None)
    else:
        store[(namespace, name)] = dict(body)
    if MARKER and labels.get(MARKER):
        emit("marker", value=labels[MARKER], events=state["events"])
    if not state["synced"] and len(store) >= N:
        state["synced"] = True
        emit("synced", objects=len(store))
