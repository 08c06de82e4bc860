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
  /** metadata.fields; undefined where there are none. */
  readonly fields: Fields | undefined;
  /** Of the fields, in milliseconds since the Unix epoch. */
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

/**
 * The forms of one state of an object. Kept is what is asked for a second time just as it was, but for ages: what changes all the time, or is looked at once, is cheaper to write
 * anew. Callers who see other links, and other shapes, have forms of their own; the oldest goes when there are many.
 */
export class Forms {
  #forms: Form[] = [];

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
  }

  /** Lets go of items as bytes, and of what was seen once. */
  clearBytes(): void {
    this.#forms = this.#forms.filter(({ packed }) => packed !== undefined);
    for (const form of this.#forms) form.bytes = undefined;
  }

  /** The item as bytes, where it is kept and nothing has changed that it was made of. */
  bytesOf(makings: Makings): Halves<Buffer> | undefined {
    return this.#unchanged(makings)?.bytes;
  }

  /** The same, deflated. */
  packedOf(makings: Makings): Packed | undefined {
    const packed = this.#unchanged(makings)?.packed;
    return packed && withFields(packed, makings);
  }

  /** Whether what is kept is right at the revision of these makings: what goes into metadata is what it was. From then on it is told for them. */
  confirms(makings: Makings, ours: string): boolean {
    const form = this.#formOf(makings.view);
    if (form === undefined || form.ours !== digestOf(ours)) return false;
    if (form.fields !== undefined && form.fields !== textOf(makings)) return false;
    form.revision = makings.revision;
    return true;
  }

  /** The item that was just made, as bytes; undefined for one that is not worth keeping yet. */
  keepBytes(makings: Makings, drawn: Drawn): Halves<Buffer> | undefined {
    const form = this.#seenBefore(makings, drawn);
    if (form === undefined) return undefined;
    form.bytes ??= halved(drawn, ownBytes);
    return form.bytes;
  }

  /** The same, deflated. Small ones never are: they are deflated with their neighbours, or would stay half as large again, for little work saved. */
  keepPacked(makings: Makings, drawn: Drawn): Packed | undefined {
    const form = this.#seenBefore(makings, drawn);
    if (form === undefined || sizeOf(drawn) < smallest) return undefined;
    form.packed ??= packedForm(halved(drawn, (parts) => deflated(Buffer.concat(parts))));
    return withFields(form.packed, makings);
  }

  #unchanged(makings: Makings): Form | undefined {
    const form = this.#formOf(makings.view);
    if (form?.revision !== makings.revision) return undefined;
    return form.fields === undefined || form.fields === textOf(makings) ? form : undefined;
  }

  /** Undefined when it is seen like this for the first time. */
  #seenBefore(makings: Makings, drawn: Drawn): Form | undefined {
    const { view, revision } = makings;
    const ours = digestOf(drawn.ours);
    const fields = drawn.fields === undefined ? textOf(makings) : undefined;
    const form = this.#formOf(view);
    if (form?.ours === ours && form.fields === fields) {
      form.revision = revision;
      return form;
    }
    const none = { bytes: undefined, packed: undefined };
    const others = this.#forms.filter((each) => each !== form).slice(1 - most);
    this.#forms = [...others, { view, revision, fields, ours, ...none }];
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

/** Of a form, in bytes. */
const overhead = 250;

function digestOf(ours: string): string {
  return hash("sha1", ours, "base64");
}

function textOf({ fields, now }: Makings): string {
  return fields?.at(now) ?? "";
}

function packedForm({ head, tail }: Halves<Deflated>): PackedForm {
  return new PackedForm(head, tail);
}

function withFields(packed: PackedForm, { fields, now }: Makings): Packed {
  return packed.with(fields?.packedAt(now));
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
