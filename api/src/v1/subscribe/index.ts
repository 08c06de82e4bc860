export type { SpecialAsker, SpecialEvent, SpecialFeed, SpecialWatch } from "./special.ts";
export { Subscriptions, type SubscriptionsParts } from "./subscriptions.ts";
