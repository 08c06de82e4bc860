import type { Duplex } from "node:stream";

/** Joins two connections until one of them ends; what it has sent still reaches the other, which ends then as well. */
export function join(one: Duplex, other: Duplex): void {
  couple(one, other);
  couple(other, one);
  one.pipe(other);
  other.pipe(one);
}

function couple(from: Duplex, to: Duplex): void {
  from.on("error", () => from.destroy());
  from.once("close", () => {
    if (to.writableFinished || from.errored) to.destroy();
    else to.end(() => to.destroy());
  });
}
