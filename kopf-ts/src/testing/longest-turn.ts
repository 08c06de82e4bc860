/** The most processor time, in milliseconds, that one turn of the event loop took while `work` was going on. Others on the machine do not count. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.(); // what earlier tests left is not this work's
  let longest = 0;
  let before = process.threadCpuUsage();
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
    handle = setImmediate(turn);
  };
  let handle = setImmediate(turn);
  await work();
  clearImmediate(handle);
  return longest;
}
