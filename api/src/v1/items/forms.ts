/** Items as they were written, kept for the next answer. */

import { hash } from "node:crypto";
import { type Deflated, deflated } from "../pieces/gzip.ts";
import type { Fields } from "./fields.ts";
import { type Packed, PackedForm } from "./packed.ts";

/** What an item is made of beside its piece; as long as these are the same, it is. */
export interface Makings {
  /** Names the caller's rights, the shape and what URLs begin with. */
  readonly view: string;
  /** Of the inventory. */
  readonly revision: number;
  /** Of metadata.fields, in milliseconds since the Unix epoch. */
  readonly now: number;
}

/** An item as it was just written. */
export interface Drawn {
  /** What was put into metadata, without `fields`. */
  readonly ours: string;
  readonly head: readonly Uint8Array[];
  /** metadata.fields, which go on while all else stays; undefined where there are none, or where they are within the head. */
  readonly fields: string | undefined;
  /** What follows them; nothing without. */
  readonly tail: readonly Uint8Array[];
}

/** An item without its metadata.fields; with them, and without a tail, where they cannot be told apart. */
export interface Halves<T> {
  readonly head: T;
  readonly tail: T | undefined;
}

/** An item as somebody sees it: seen once, or kept in the forms that were asked for. */
interface Form {
  readonly view: string;
  /** A digest of what was put into metadata, which may be the same though a revision is not. */
  readonly ours: string;
  revision: number;
  /** Those within the head; undefined where they are told apart. */
  fields: string | undefined;
  bytes: Halves<Buffer> | undefined;
  packed: PackedForm | undefined;
}

/** A deflated item as it was told last, with all that says whether it is still right: to look that up in several places would take as long as to copy it. */
interface Told extends Packed {
  readonly view: string;
  readonly revision: number;
  /** Of its fields, in whole seconds since the Unix epoch: from the first to before the second. */
  readonly from: number;
  readonly until: number;
}

/**
 * The forms of one state of an object. Kept is what is asked for a second time just as it was, but for ages: what changes all the time, or is looked at once, is cheaper to write
 * anew. Callers who see other links, and other shapes, have forms of their own; the oldest goes when there are many.
 */
export class Forms {
  readonly #fields: Fields | undefined;
  #forms: Form[] = [];
  #told: Told | undefined;

  /** Of an object with these metadata.fields; undefined where there are none. */
  constructor(fields: Fields | undefined) {
    this.#fields = fields;
  }

  /** Of memory, roughly. */
  get size(): number {
    let size = 0;
    for (const { bytes, packed } of this.#forms) {
      size += overhead + (packed?.size ?? 0);
      for (const each of [bytes?.head, bytes?.tail]) size += each?.length ?? 0;
    }
    return size;
  }

  /** Whether the item is kept as bytes, or deflated, for a view, be it as it is or as it was at an earlier revision. */
  keeps(kind: "bytes" | "packed", view: string): boolean {
    return this.#formOf(view)?.[kind] !== undefined;
  }

  /** Lets go of all. */
  clear(): void {
    this.#forms = [];
    this.#told = undefined;
  }

  /** Lets go of items as bytes, and of what was seen once. */
  clearBytes(): void {
    this.#forms = this.#forms.filter(({ packed }) => packed !== undefined);
    for (const form of this.#forms) form.bytes = undefined;
  }

  /** The item as bytes, where it is kept and nothing has changed that it was made of. */
  bytesOf(makings: Makings): readonly Uint8Array[] | undefined {
    const form = this.#formOf(makings.view);
    return form && this.#isUnchanged(form, makings) ? this.#whole(form, makings) : undefined;
  }

  /** The same, deflated. */
  packedOf(makings: Makings): Packed | undefined {
    const told = this.#told;
    if (told !== undefined && isStill(told, makings)) return told;
    const form = this.#formOf(makings.view);
    return form && this.#isUnchanged(form, makings) ? this.#tell(form, makings) : undefined;
  }

  /** Whether what is kept is right at the revision of these makings: what goes into metadata is what it was. From then on it is told for them. */
  confirms(makings: Makings, ours: string): boolean {
    const form = this.#formOf(makings.view);
    if (form === undefined || form.ours !== digestOf(ours)) return false;
    if (form.fields !== undefined && form.fields !== this.#textAt(makings)) return false;
    form.revision = makings.revision;
    return true;
  }

  /** The item that was just made, as bytes; undefined for one that is not worth keeping yet. */
  keepBytes(makings: Makings, drawn: Drawn): readonly Uint8Array[] | undefined {
    const form = this.#seenBefore(makings, drawn);
    if (form === undefined) return undefined;
    form.bytes ??= halved(drawn, ownBytes);
    return this.#whole(form, makings);
  }

  /** The same, deflated. Small ones never are: they are deflated with their neighbours, or would stay half as large again, for little work saved. */
  keepPacked(makings: Makings, drawn: Drawn): Packed | undefined {
    const form = this.#seenBefore(makings, drawn);
    if (form === undefined || sizeOf(drawn) < smallest) return undefined;
    form.packed ??= packedForm(halved(drawn, (parts) => deflated(Buffer.concat(parts))));
    return this.#tell(form, makings);
  }

  #isUnchanged({ revision, fields }: Form, makings: Makings): boolean {
    if (revision !== makings.revision) return false;
    return fields === undefined || fields === this.#textAt(makings);
  }

  #whole({ bytes }: Form, { now }: Makings): readonly Uint8Array[] | undefined {
    if (bytes?.tail === undefined) return bytes && [bytes.head];
    return [bytes.head, this.#fields?.bytesAt(now) ?? nothing, bytes.tail];
  }

  #tell({ packed }: Form, { view, revision, now }: Makings): Packed | undefined {
    if (packed === undefined) return undefined;
    const item = packed.with(this.#fields?.packedAt(now));
    const until = this.#fields ? Math.min(secondOf(this.#fields.until), never) : never;
    this.#told = { ...item, view, revision, from: secondOf(now), until };
    return this.#told;
  }

  #textAt({ now }: Makings): string {
    return this.#fields?.at(now) ?? "";
  }

  /** Undefined when it is seen like this for the first time. */
  #seenBefore(makings: Makings, drawn: Drawn): Form | undefined {
    const { view, revision } = makings;
    const ours = digestOf(drawn.ours);
    const fields = drawn.fields === undefined ? this.#textAt(makings) : undefined;
    const form = this.#formOf(view);
    if (form?.ours === ours && form.fields === fields) {
      form.revision = revision;
      return form;
    }
    const none = { bytes: undefined, packed: undefined };
    const others = this.#forms.filter((each) => each !== form).slice(1 - most);
    this.#forms = [...others, { view, revision, fields, ours, ...none }];
    this.#told = undefined;
    return undefined;
  }

  #formOf(view: string): Form | undefined {
    for (const form of this.#forms) if (form.view === view) return form;
    return undefined;
  }
}

/** Forms of one object. */
const most = 4;

const smallest = 4096;

/** In seconds since the Unix epoch: the largest number that V8 keeps in place. */
const never = 2 ** 31 - 1;

const nothing = Buffer.alloc(0);

/** Of a form, in bytes. */
const overhead = 350;

function digestOf(ours: string): string {
  return hash("sha1", ours, "base64");
}

function packedForm({ head, tail }: Halves<Deflated>): PackedForm {
  return new PackedForm(head, tail);
}

function isStill({ view, revision, from, until }: Told, makings: Makings): boolean {
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

/** Buffers of Node's pool would keep others alive. */
function ownBytes(parts: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(lengthOf(parts));
  let end = 0;
  for (const part of parts) {
    bytes.set(part, end);
    end += part.length;
  }
  return bytes;
}

/** Bytes of an item without its metadata.fields. */
export function sizeOf({ head, tail }: Drawn): number {
  return lengthOf(head) + lengthOf(tail);
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
