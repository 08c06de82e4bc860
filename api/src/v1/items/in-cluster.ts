/** Items of several clusters together. */

/** The parts of an item's JSON with the member `cluster` before its others. */
export function inCluster(cluster: string, item: readonly Uint8Array[]): readonly Uint8Array[] {
  const [first, ...rest] = item;
  if (first === undefined) return item;
  return [Buffer.from(`{"cluster":${JSON.stringify(cluster)},`), first.subarray(1), ...rest];
}
