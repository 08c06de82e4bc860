/** Waits until a server shows what it is asked for; servers do not say when. */

import { untilBody } from "../answers.ts";
import type { Aim } from "../load.ts";
import type { V1Server } from "../v1-peers.ts";
import { totalOf } from "./bodies.ts";
import { aimAt } from "./questions.ts";

/** Milliseconds within which a server must show what there is. */
const patience = 300_000;

/** Asks for the first page, again and again, until it is whole and its total is `n`; rejects when the server ends. */
export async function untilComplete(server: V1Server, n: number): Promise<void> {
  await untilAnswered(server, aimAt(server, "id", n), (body) => totalOf(body) === n);
}

/** Asks until the server has seen a revision of Pods. */
export async function untilSeen(server: V1Server, revision: number): Promise<void> {
  const path = (): string => `/v1/pods?pagesize=1&revision=${revision}`;
  await untilAnswered(server, { ...aimAt(server, "id", 1), path }, () => true);
}

/** A second in which a server takes less CPU than this is a quiet one; so many of them in a row are rest. */
const quiet = { cpu_s: 0.05, seconds: 2 } as const;

/** Seconds after which what has not come to rest is measured as it is. */
const restlessness = 60;

/** Waits until what a start or a first question has set off is over: two seconds with hardly any CPU, or a minute. */
export async function untilAtRest({ subject }: V1Server): Promise<void> {
  let inARow = 0;
  for (let second = 0; second < restlessness && inARow < quiet.seconds; second++) {
    const before = subject.cost().cpu_s;
    await new Promise((resolve) => setTimeout(resolve, 1000)); // CPU is counted over this second
    inARow = subject.cost().cpu_s - before < quiet.cpu_s ? inARow + 1 : 0;
  }
}

async function untilAnswered(
  { subject }: V1Server,
  aim: Aim,
  isEnough: (body: Buffer) => boolean,
): Promise<void> {
  const deadline = performance.now() + patience;
  await untilBody(aim, (body) => {
    subject.mustRun();
    if (performance.now() > deadline) throw new Error(`${aim.path(0)} is not complete`);
    return body !== undefined && isEnough(body);
  });
}
