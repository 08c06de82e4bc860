/** Who comes after whom. */

/**
 * The order of a round: another one begins each time, and everybody comes after each other one equally often in as many rounds as there are subjects, in twice as many where their number is
 * odd (E. J. Williams, "Experimental designs balanced for the estimation of residual effects of treatments", 1949). Were they only moved on by one, everybody would come after the same one always.
 */
export function turnsIn<T>(round: number, subjects: readonly T[]): readonly T[] {
  const first = round % Math.max(1, subjects.length);
  const rest = [...subjects.slice(first), ...subjects.slice(0, first)];
  const order = rest.splice(0, 1);
  if (subjects.length % 2 === 1 && round % 2 === 1) rest.reverse();
  for (let end = 0; rest.length > 0; end = end === 0 ? -1 : 0) order.push(...rest.splice(end, 1));
  return order;
}
