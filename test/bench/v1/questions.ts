/** Ways to ask for pages of 100 Pods, and whether two servers answer them alike. */

import { fetchBody } from "../answers.ts";
import type { Surroundings } from "../bench.ts";
import type { Aim } from "../load.ts";
import type { V1Server } from "../v1-peers.ts";
import { headersOf } from "./people.ts";

/** Objects on a page. */
export const pageSize = 100;

/** A way to ask for pages. */
interface Question {
  readonly user: string;
  readonly query: string;
  /** How many of all Pods it finds, as a part; all unless told. */
  readonly part?: number;
  /** The first page that is asked for, as a part of those it finds; 0 unless told. */
  readonly from?: number;
  /** Whether the same pages are asked for again and again; else each request is one that nobody has sent before, by a parameter that says nothing. */
  readonly isSame?: boolean;
  /** Whether each page begins at another Pod, 37 further each time: of 10,000 Pods there are 9,900 such pages. */
  readonly slides?: boolean;
}

/** All of them, by name. Who keeps answers can send those of `id` again, and has to look for all others. */
export const questions: Readonly<Record<string, Question>> = {
  id: { user: "admin", query: "", isSame: true },
  anew: { user: "admin", query: "" },
  created: { user: "admin", query: "sort=-metadata.creationTimestamp,metadata.name" },
  state: { user: "admin", query: "filter=metadata.state.name=running", part: 0.9 },
  label: { user: "admin", query: "filter=metadata.labels[tier]=backend", part: 0.5 },
  name: { user: "admin", query: "filter=metadata.name~check", part: 1 / 7 },
  deep: { user: "admin", query: "sort=metadata.name", from: 0.8 },
  ns1: { user: "ns1", query: "", part: 0.01 },
  ns50: { user: "ns50", query: "", part: 0.5 },
  ns1000: { user: "ns1000", query: "" },
};

/** Steve refuses fields that it keeps no column for, and pages by numbers alone. `window` is the last one: 4,000 pages that nobody asked for before leave more to be collected than all others. */
export const oursAlone: Readonly<Record<string, Question>> = {
  field: { user: "admin", query: "filter=spec.containers.image~frontend", part: 1 / 7 },
  window: { user: "admin", query: "", slides: true },
};

/** Requests that nobody has sent before. */
let asked = 0;

/** Asks a question of a server that holds `n` Pods, ten pages in turn, none of them empty. */
export function aimAt({ base }: Pick<V1Server, "base">, name: string, n: number): Aim {
  const question = questions[name] ?? oursAlone[name];
  const { user = "", query = "", part = 1, from = 0, isSame, slides } = question ?? {};
  const pages = Math.max(1, Math.floor((n * part) / pageSize));
  const first = Math.floor(pages * from);
  const path = (index: number): string => {
    if (slides)
      return `/v1/pods?pagesize=${pageSize}&continue=${1 + ((++asked * 37) % (n - pageSize))}`;
    const number = 1 + ((first + (index % 10)) % pages);
    const page = `/v1/pods?pagesize=${pageSize}&page=${number}${query === "" ? "" : `&${query}`}`;
    return isSame ? page : `${page}&new=${++asked}`;
  };
  return { base, headers: headersOf(user), path };
}

/** The same, answered in gzip, as browsers ask. */
export function packed({ headers, ...aim }: Aim): Aim {
  return { ...aim, headers: { ...headers, "accept-encoding": "gzip" } };
}

/** A wrong answer is not fast: throws unless both show the same objects in the same order, and the same totals. */
export async function mustAgree(
  { say }: Surroundings,
  ours: V1Server,
  theirs: V1Server,
  n: number,
): Promise<void> {
  for (const name of Object.keys(questions)) {
    say(`comparing ${name}`);
    const aims = [ours, theirs].map((each) => aimAt(each, name, n));
    const [a, b, ...others] = await Promise.all(
      [...aims, ...aims.map(packed)].map((aim) => shown(aim, 3)),
    );
    if (a !== b) throw new Error(`${name}: the answers differ: ${starts(a)} / ${starts(b)}`);
    if (others.some((other) => other !== a)) throw new Error(`${name}: gzip holds something else`);
  }
}

const starts = (text = ""): string => text.slice(0, 200);

/** Total and ids of one page, as text to compare. */
export async function shown(aim: Aim, index: number): Promise<string> {
  const { count, data } = JSON.parse(String(await fetchBody(aim, index)));
  return JSON.stringify([count, data.map(({ id }: { readonly id: string }) => id)]);
}
