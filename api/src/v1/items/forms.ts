/** Items as they were written, kept for the next answer. */

import { hash } from "node:crypto";
import type { Slabs } from "kopf-ts/cache";
import { type Deflated, deflated } from "../pieces/gzip.ts";
import type { Fields } from "./fields.ts";
import { PackedForm } from "./packed.ts";

/** What an item is made of beside its piece; as long as these are the same, it is. */
export interface Makings {
  /** Names the shape and what URLs begin with, and the caller's rights where a look does not tell all that follows from them. */
  readonly shape: string;
  /** Names the same and the caller's rights. */
  readonly view: string;
  /** Of the inventory. */
  readonly revision: number;
  /** Of metadata.fields, in milliseconds since the Unix epoch. */
  readonly now: number;
}

/** What is not the same for everybody who wants an item in one shape: people with different rights mostly see the same. */
export interface Look {
  /** What is put into metadata, without `fields`. */
  readonly ours: string;
  /** What follows from rights alone. */
  readonly links: () => string;
  /** Whether metadata.fields are among the bytes, so that it is another item when they change. */
  readonly withFields: boolean;
}

/** An item as it was just written. */
export interface Drawn {
  readonly head: readonly Uint8Array[];
  /** metadata.fields, which go on while all else stays; undefined where there are none, or where they are within the head. */
  readonly fields: Uint8Array | undefined;
  /** What follows them; nothing without. */
  readonly tail: readonly Uint8Array[];
  /** Whether metadata.managedFields are among it. */
  readonly hasManagedFields: boolean;
}

/** An item without its metadata.fields; with them, and without a tail, where they cannot be told apart. */
interface Halves<T> {
  readonly head: T;
  readonly tail: T | undefined;
}

/** An item as some see it: seen once, or kept in the forms that were asked for. */
interface Form {
  readonly shape: string;
  /** Digests. */
  readonly ours: string;
  readonly links: string;
  /** Those among the bytes; undefined where they are told apart. */
  readonly fields: string | undefined;
  /** Who is known to see it; who came last is last. */
  readonly seen: Seen[];
  /** Entries of the slabs. */
  bytes: Halves<number> | undefined;
  packed: PackedForm | undefined;
}

/** An item as bytes, with its metadata.fields of the moment between the halves. */
interface Bytes extends Halves<number> {
  readonly fields: Buffer | undefined;
}

/** By a view, at a revision. */
interface Seen {
  readonly view: string;
  revision: number;
}

/** For whom and how long an item is right that was told last: to look that up in several places would take as long as to copy it. */
interface Told<T> {
  view: string;
  revision: number;
  /** Of its fields, in whole seconds since the Unix epoch, rounded down: from the first to before the second. */
  from: number;
  until: number;
  item: T;
}

/**
 * The forms of one state of an object. Kept is what is asked for a second time just as it was, but for ages, by whomever: what changes all the time, or is looked at once, is
 * cheaper to write anew. Who sees other links, and who wants another shape, has forms of its own; of many, the one goes that nobody new has come to for longest. Items as bytes are in
 * slabs that all share, which do not know who is gone: who lets go of forms has to `clear` them.
 */
export class Forms {
  readonly #fields: Fields | undefined;
  readonly #slabs: Slabs;
  #forms: Form[] = [];
  #toldBytes: Told<Bytes> | undefined;
  #toldPacked: Told<Deflated> | undefined;

  /** Of an object with these metadata.fields; undefined where there are none. */
  constructor(fields: Fields | undefined, slabs: Slabs) {
    this.#fields = fields;
    this.#slabs = slabs;
  }

  /** Of memory, roughly. */
  get size(): number {
    let size = 0;
    for (const { bytes, packed, seen } of this.#forms) {
      size += sizeOfForm + seen.length * sizeOfSeen + (packed?.size ?? 0);
      for (const entry of entriesOf(bytes)) size += this.#slabs.lengthOf(entry);
    }
    return size;
  }

  /** Whether the item that a view sees is kept as bytes, or deflated. */
  keeps(kind: "bytes" | "packed", view: string): boolean {
    return this.#formOf(view)?.[kind] !== undefined;
  }

  /** Lets go of all. */
  clear(): void {
    for (const form of this.#forms) this.#releaseBytes(form);
    this.#forms = [];
    this.#forgetTold();
  }

  /** Lets go of items as bytes, and of what was seen once. */
  clearBytes(): void {
    for (const form of this.#forms) this.#releaseBytes(form);
    this.#forms = this.#forms.filter(({ packed }) => packed !== undefined);
    this.#toldBytes = undefined;
  }

  /** The item as bytes, where it is kept and nothing has changed that it was made of. */
  bytesOf(makings: Makings): readonly Uint8Array[] | undefined {
    const told = this.#toldBytes;
    if (told !== undefined && isStill(told, makings)) return this.#partsOf(told.item);
    const form = this.#unchanged(makings);
    return form && this.#tellBytes(form, makings);
  }

  /** The same, deflated, with a comma before it. */
  packedOf(makings: Makings): Deflated | undefined {
    const told = this.#toldPacked;
    if (told !== undefined && isStill(told, makings)) return told.item;
    const form = this.#unchanged(makings);
    return form && this.#tellPacked(form, makings);
  }

  /** Whether the item is known to be one that was seen before: nobody need look at it. */
  knows(makings: Makings): boolean {
    return this.#unchanged(makings) !== undefined;
  }

  /** Whether an item of this look was seen before, by whomever and at whatever revision. From then on it is the one of these makings. */
  confirms(makings: Makings, look: Look): boolean {
    const form = this.#alike(makings, look);
    if (form === undefined) return false;
    this.#see(form, makings);
    return true;
  }

  /** Remembers an item that was not seen before. */
  enter(makings: Makings, { ours, links, withFields }: Look): void {
    this.#see(
      {
        ...{ shape: makings.shape, ours: digestOf(ours), links: digestOf(links()) },
        fields: withFields ? this.#textAt(makings) : undefined,
        ...{ seen: [], bytes: undefined, packed: undefined },
      },
      makings,
    );
  }

  /** Keeps the item that was confirmed, as bytes; undefined for one that was not. */
  keepBytes(makings: Makings, drawn: Drawn): readonly Uint8Array[] | undefined {
    const form = this.#unchanged(makings);
    if (form === undefined) return undefined;
    form.bytes ??= halved(drawn, (parts) => this.#put(parts));
    return this.#tellBytes(form, makings);
  }

  /** The same, deflated, with a comma before it; it is not kept where there is no room for that many bytes. */
  keepPacked(
    makings: Makings,
    drawn: Drawn,
    hasRoom: (size: number) => boolean,
  ): Deflated | undefined {
    const form = this.#unchanged(makings);
    if (form === undefined) return undefined;
    if (form.packed === undefined) {
      const packed = packedForm(halved(drawn, (parts) => deflated(together(parts))));
      if (!hasRoom(packed.size)) return packed.with(this.#fields?.packedAt(makings.now));
      form.packed = packed;
    }
    return this.#tellPacked(form, makings);
  }

  #unchanged(makings: Makings): Form | undefined {
    const form = this.#formOf(makings.view);
    if (form === undefined || !this.#hasFieldsOf(form, makings)) return undefined;
    return seenBy(form, makings.view)?.revision === makings.revision ? form : undefined;
  }

  /** Who has the same rights sees the same links; others are asked for theirs. */
  #alike(makings: Makings, look: Look): Form | undefined {
    const ofShape = this.#forms.filter(
      (form) =>
        form.shape === makings.shape &&
        (form.fields !== undefined) === look.withFields &&
        this.#hasFieldsOf(form, makings),
    );
    if (ofShape.length === 0) return undefined;
    const ours = digestOf(look.ours);
    const alike = ofShape.filter((form) => form.ours === ours);
    const own = alike.find((form) => seenBy(form, makings.view) !== undefined);
    if (own !== undefined || alike.length === 0) return own;
    const links = digestOf(look.links());
    return alike.find((form) => form.links === links);
  }

  #hasFieldsOf({ fields }: Form, makings: Makings): boolean {
    return fields === undefined || fields === this.#textAt(makings);
  }

  /** A view sees one form at a time; what nobody sees any more goes. */
  #see(form: Form, { view, revision }: Makings): void {
    const known = seenBy(form, view);
    if (known !== undefined) {
      known.revision = revision;
      return;
    }
    for (const { seen } of this.#forms) {
      const index = seen.findIndex((each) => each.view === view);
      if (index >= 0) seen.splice(index, 1);
    }
    if (form.seen.length === mostSeen) form.seen.shift();
    form.seen.push({ view, revision });
    const others = this.#forms.filter((each) => each !== form && each.seen.length > 0);
    const left = [...others.slice(1 - most), form];
    for (const each of this.#forms) if (!left.includes(each)) this.#releaseBytes(each);
    this.#forms = left;
    this.#forgetTold();
  }

  #tellBytes({ bytes }: Form, makings: Makings): readonly Uint8Array[] | undefined {
    if (bytes === undefined) return undefined;
    const fields = bytes.tail === undefined ? undefined : this.#fields?.bytesAt(makings.now);
    const item: Bytes = { head: bytes.head, fields, tail: bytes.tail };
    this.#toldBytes = this.#remember(this.#toldBytes, item, makings);
    return this.#partsOf(item);
  }

  /** Looked up each time: the slabs move what they hold. */
  #partsOf({ head, fields, tail }: Bytes): readonly Uint8Array[] {
    const first = this.#slabs.read(head);
    return tail === undefined ? [first] : [first, fields ?? nothing, this.#slabs.read(tail)];
  }

  #put(parts: readonly Uint8Array[]): number {
    const bytes = together(parts);
    return this.#slabs.put(bytes, 0, bytes.length);
  }

  #releaseBytes(form: Form): void {
    for (const entry of entriesOf(form.bytes)) this.#slabs.release(entry);
    form.bytes = undefined;
  }

  #tellPacked({ packed }: Form, makings: Makings): Deflated | undefined {
    if (packed === undefined) return undefined;
    const item = packed.with(this.#fields?.packedAt(makings.now));
    this.#toldPacked = this.#remember(this.#toldPacked, item, makings);
    return item;
  }

  /** With the fields that were asked for last: those of the makings. Where ages go on every second, thousands are told in each: they take the place of those before. */
  #remember<T>(before: Told<T> | undefined, item: T, { view, revision, now }: Makings): Told<T> {
    const until = this.#fields ? Math.min(secondOf(this.#fields.until), never) : never;
    const from = secondOf(now);
    if (before === undefined) return { view, revision, from, until, item };
    before.view = view;
    before.revision = revision;
    before.from = from;
    before.until = until;
    before.item = item;
    return before;
  }

  #forgetTold(): void {
    this.#toldBytes = undefined;
    this.#toldPacked = undefined;
  }

  #textAt({ now }: Makings): string {
    return this.#fields?.at(now) ?? "";
  }

  #formOf(view: string): Form | undefined {
    for (const form of this.#forms) if (seenBy(form, view) !== undefined) return form;
    return undefined;
  }
}

/** Forms of one object. */
const most = 4;

/** Views of one form: where more people than these take turns, it is found by its look each time. */
const mostSeen = 16;

/** In seconds since the Unix epoch: the largest number that V8 keeps in place. */
const never = 2 ** 31 - 1;

const nothing = Buffer.alloc(0);

/** In bytes, with what was told last and without what is kept; roughly. */
const sizeOfForm = 450;
const sizeOfSeen = 60;

/** What is counted for an item that was seen once. */
export const sizeOfEntry: number = sizeOfForm + sizeOfSeen;

/** Tells apart what different people may see. */
function digestOf(text: string): string {
  return hash("sha256", text, "base64");
}

function seenBy({ seen }: Form, view: string): Seen | undefined {
  for (const each of seen) if (each.view === view) return each;
  return undefined;
}

function packedForm({ head, tail }: Halves<Deflated>): PackedForm {
  return new PackedForm(head, tail);
}

function isStill({ view, revision, from, until }: Told<unknown>, makings: Makings): boolean {
  if (revision !== makings.revision || view !== makings.view) return false;
  const second = secondOf(makings.now);
  return second >= from && second < until;
}

function secondOf(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

function halved<T>(
  { head, fields, tail }: Drawn,
  form: (parts: readonly Uint8Array[]) => T,
): Halves<T> {
  return { head: form(head), tail: fields === undefined ? undefined : form(tail) };
}

/** For what is copied or deflated at once: of thousands of items, each in memory of its own, nothing would go before the heap is collected. */
const scratch = Buffer.allocUnsafeSlow(256 * 1024);

/** One part behind the other; until the next call. */
function together(parts: readonly Uint8Array[]): Buffer {
  if (lengthOf(parts) > scratch.length) return Buffer.concat(parts);
  let end = 0;
  for (const part of parts) {
    scratch.set(part, end);
    end += part.length;
  }
  return scratch.subarray(0, end);
}

function entriesOf(bytes: Halves<number> | undefined): readonly number[] {
  if (bytes === undefined) return [];
  return bytes.tail === undefined ? [bytes.head] : [bytes.head, bytes.tail];
}

/** Bytes of an item without its metadata.fields. */
export function sizeOf({ head, tail }: Drawn): number {
  return lengthOf(head) + lengthOf(tail);
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
