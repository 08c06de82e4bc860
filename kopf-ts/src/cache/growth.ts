const SMALL = 1024;

/** The next capacity of arrays that are full: twice as much while they are small, then a quarter more, so that little of it lies idle. */
export function grown(capacity: number): number {
  return capacity < SMALL ? capacity * 2 : Math.ceil(capacity * 1.25);
}
