/** Items as they were written, kept for the next answer. */

import { type Deflated, deflated } from "../pieces/gzip.ts";

/** What an item is made of beside its piece; as long as these are the same, it is. */
export interface Makings {
  /** Names the caller's rights, the shape and what URLs begin with. */
  readonly view: string;
  /** Of the inventory. */
  readonly revision: number;
  /** metadata.fields at the time. */
  readonly fields: string;
}

/** An item as somebody sees it: seen once, or kept in the forms that were asked for. */
interface Form {
  readonly view: string;
  /** What was put into metadata: may be the same though a revision is not. */
  readonly ours: string;
  revision: number;
  fields: string;
  bytes: Buffer | undefined;
  deflated: Deflated | undefined;
}

/**
 * The forms of one state of an object. Kept is what is asked for a second time just as it was: what changes all the time, or is looked at once, is cheaper to write anew. Callers
 * who see other links, and other shapes, have forms of their own; the oldest goes when there are many.
 */
export class Forms {
  #forms: Form[] = [];

  /** Of memory, roughly. */
  get size(): number {
    return this.#forms.reduce(
      (size, { ours, bytes, deflated: packed }) =>
        size + overhead + ours.length + (bytes?.length ?? 0) + (packed?.blocks.length ?? 0),
      0,
    );
  }

  /** The item as bytes, where it is kept and nothing has changed that it was made of. */
  bytesOf(makings: Makings): Buffer | undefined {
    return this.#unchanged(makings)?.bytes;
  }

  /** The same, deflated. */
  deflatedOf(makings: Makings): Deflated | undefined {
    return this.#unchanged(makings)?.deflated;
  }

  /** The item that was just made, as bytes; undefined for one that is not worth keeping yet. */
  keepBytes(makings: Makings, ours: string, parts: readonly Uint8Array[]): Buffer | undefined {
    const form = this.#seenBefore(makings, ours);
    if (form === undefined) return undefined;
    form.bytes ??= ownBytes(parts);
    return form.bytes;
  }

  /** The same, deflated. Small ones never are: they are deflated with their neighbours, or would stay half as large again, for little work saved. */
  keepDeflated(makings: Makings, ours: string, parts: readonly Uint8Array[]): Deflated | undefined {
    const form = this.#seenBefore(makings, ours);
    if (form === undefined || sizeOf(parts) < smallest) return undefined;
    form.deflated ??= deflated(Buffer.concat(parts));
    return form.deflated;
  }

  #unchanged({ view, revision, fields }: Makings): Form | undefined {
    const form = this.#formOf(view);
    return form?.revision === revision && form.fields === fields ? form : undefined;
  }

  /** Undefined when it is seen like this for the first time. */
  #seenBefore({ view, revision, fields }: Makings, ours: string): Form | undefined {
    const form = this.#formOf(view);
    if (form?.ours !== ours) {
      const none = { bytes: undefined, deflated: undefined };
      const others = this.#forms.filter((each) => each !== form).slice(1 - most);
      this.#forms = [...others, { view, revision, fields, ours, ...none }];
      return undefined;
    }
    form.revision = revision;
    form.fields = fields;
    return form;
  }

  #formOf(view: string): Form | undefined {
    return this.#forms.find((form) => form.view === view);
  }
}

/** Forms of one object. */
const most = 4;

const smallest = 4096;

/** Of a form, in bytes. */
const overhead = 200;

/** Buffers of Node's pool would keep others alive. */
function ownBytes(parts: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(sizeOf(parts));
  let end = 0;
  for (const part of parts) {
    bytes.set(part, end);
    end += part.length;
  }
  return bytes;
}

function sizeOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
