/** What tests of operators need, ours and others': nothing here is imported by the layers themselves. */

export { collected } from "./collected.ts";
export { type EventuallyOptions, eventually } from "./eventually.ts";
export { FakeClock, fakeClock } from "./fake-clock.ts";
export type {
  Fault,
  FaultKind,
  FaultRates,
  Match,
  RequestFault,
  SeenRequest,
  StreamFault,
} from "./faults/fault.ts";
export { FaultProxy, type FaultProxyOptions, startFaultProxy } from "./faults/proxy.ts";
export { leftBehind } from "./left-behind.ts";
export { longestTurn } from "./longest-turn.ts";
export { type Random, seededRandom } from "./random.ts";
export { hugeObject, randomObject } from "./random-json.ts";
export { type RecordedCall, recordTransport, type TransportRecording } from "./recorder.ts";
export {
  endOfList,
  eventLine,
  type ScriptedServer,
  type ServerScript,
  startScriptedServer,
} from "./scripted-server.ts";
