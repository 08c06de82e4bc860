/**
 * Milliseconds by which changes may come later to caches of a cluster to whose objects nobody subscribes, so that they are worked off together: less than half the CPU per
 * change where 200 come in a second. A list with a revision waits for its own type no longer.
 */
export const gather = 50;
