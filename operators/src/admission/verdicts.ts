/** What the rules of every kind say, and how it becomes an answer. */

import { allow, deny, type Verdict } from "kopf-ts/admission";

/** What is wrong, as one sentence that names the field; undefined if nothing is. It repeats no value that could be secret or long. */
export type Problem = string | undefined;

/** Refuses a problem with this HTTP status; lets the request go on when there is none. */
export function unless(problem: Problem, code: number): Verdict {
  return problem === undefined ? allow() : deny(code, problem);
}

/** The first answer that refuses, else the last. Later ones are only asked for while nothing is refused. */
export async function firstRefusal(
  ...questions: readonly (() => Verdict | Promise<Verdict>)[]
): Promise<Verdict> {
  let answer: Verdict = allow();
  for (const question of questions) {
    answer = await question();
    if (!answer.allowed) return answer;
  }
  return answer;
}
