/** What a question to several clusters lacks, as headers and in the body. Pure. */

import type { Answered, Failed } from "./clusters.ts";

/** More of them are summed up: headers have limits. */
const most = 20;

/** Values of `Warning` headers as Steve writes them, without quotes: `299 - cluster c-abcde: there is no such cluster`. */
export function warningsOf(
  failed: readonly Failed[],
  answered: readonly Answered<{ readonly warnings?: readonly string[] }>[] = [],
): readonly string[] {
  const texts = [
    ...failed.map(({ cluster, problem }) => `cluster ${cluster}: ${problem.message}`),
    ...answered.flatMap(({ cluster, answer: { warnings = [] } }) =>
      warnings.map((text) => `cluster ${cluster}: ${text}`),
    ),
  ];
  const more = texts.length > most ? [`${texts.length - most} more warnings`] : [];
  return [...texts.slice(0, most), ...more].map((text) => `299 - ${shown(text)}`);
}

/** The member `clusters` of an answer: what each had, or why it had nothing. */
export function clustersOf<T>(
  answered: readonly Answered<T>[],
  failed: readonly Failed[],
  tell: (answer: T) => object,
): object {
  return Object.fromEntries([
    ...answered.map(({ cluster, answer }) => [cluster, tell(answer)]),
    ...failed.map(({ cluster, problem: { status, code, message } }) => [
      cluster,
      { error: { status, code, message } },
    ]),
  ]);
}

/** As a header may have it. */
function shown(text: string): string {
  const plain = text.replaceAll(/[^\x20-\x7e]/g, "?");
  return plain.length <= 200 ? plain : `${plain.slice(0, 197)}...`;
}
