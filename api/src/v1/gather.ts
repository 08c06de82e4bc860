/**
 * Milliseconds by which changes may come later to caches of types that nobody follows, so that they are worked off together: less than half the CPU per change where they come
 * one by one. Whoever asks for a revision waits no longer for it, and subscribers are told at once.
 */
export const gather = 50;
