/** Watches that are told the same: of equal rights, form and subscription. */

import type { Access } from "../access/access.ts";
import { digestOf } from "../digest.ts";
import type { Shape } from "../items/item.ts";
import type { FeedChange } from "./change.ts";
import type { Frame } from "./frame.ts";
import type { Message } from "./message.ts";
import { type EventName, nameFor, type Scope } from "./scope.ts";

/** For whom items are written, and how. */
export interface View {
  readonly access: Access;
  /** What URLs begin with. */
  readonly base: string;
  readonly shape: Shape;
  /** Whose the items are, where several clusters are watched together. */
  readonly cluster?: string | undefined;
}

/** What makes a group. */
export interface GroupSpec {
  readonly view: View;
  readonly message: Message;
  readonly scope: Scope;
}

/** A watch that is told of changes as they come. */
export interface Member {
  /** `frame` makes the message, once for all members. */
  take(change: FeedChange, frame: () => Frame): void;
  /** Changes were left out. */
  lost(): void;
}

/** Makes the message that tells of a change. */
export type FrameMaker = (group: Group, name: EventName, change: FeedChange) => Frame;

/** Members told between two looks at the clock. */
const atOnce = 64;

/** A group of watches. */
export class Group {
  /** Equal for two groups whose members are told the same. */
  readonly id: string;
  /** Equal for two groups whose members see the same items. */
  readonly viewId: string;
  readonly spec: GroupSpec;
  readonly members: Set<Member> = new Set();

  constructor(spec: GroupSpec) {
    const { access, base, shape, cluster } = spec.view;
    const { resourceType, namespace, id, selector, clusters, mode } = spec.message;
    const { requirements, owner } = spec.scope;
    this.spec = spec;
    this.viewId = digestOf(JSON.stringify([access.fingerprint, base, shape]));
    const asked = [resourceType, namespace, id, selector, mode, clusters, cluster];
    this.id = digestOf(JSON.stringify([this.viewId, asked, requirements, owner], plain));
  }

  nameFor(change: FeedChange): EventName | undefined {
    return nameFor(this.spec.scope, change);
  }

  /** Tells all members of a change, in steps. */
  *tell(change: FeedChange, frameOf: FrameMaker): Generator<void, void, void> {
    const name = this.members.size === 0 ? undefined : this.nameFor(change);
    if (name === undefined) return;
    let made: Frame | undefined;
    const frame = (): Frame => {
      made ??= frameOf(this, name, change);
      return made;
    };
    let told = 0;
    for (const member of this.members) {
      member.take(change, frame);
      if (++told % atOnce === 0) yield;
    }
  }
}

/** Requirements may name integers that JSON.stringify does not take. */
function plain(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
