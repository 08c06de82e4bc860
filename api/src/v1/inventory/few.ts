/** Sets that mostly have one member, which is kept as it is: a Set of one takes 200 bytes. */

/** No member, one, or several. Members are no Sets. */
export type Few<T> = T | Set<T> | undefined;

/** With a member more. */
export function withMember<T extends string | object>(few: Few<T>, member: T): Few<T> {
  if (few === undefined || few === member) return member;
  if (few instanceof Set) return few.add(member);
  return new Set([few, member]);
}

/** Without a member. */
export function withoutMember<T extends string | object>(few: Few<T>, member: T): Few<T> {
  if (!(few instanceof Set)) return few === member ? undefined : few;
  few.delete(member);
  return few.size === 0 ? undefined : few;
}

/** All members. */
export function membersOf<T extends string | object>(few: Few<T>): Iterable<T> {
  if (few === undefined) return [];
  return few instanceof Set ? few : [few];
}
