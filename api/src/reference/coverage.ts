/** The rows of the tables that Steve's behaviour is written down in, and the tests that cover them. */

import { ofLists } from "./coverage/lists.ts";
import { ofObjects } from "./coverage/representation.ts";
import type { Tables } from "./coverage/row.ts";
import { ofSessions } from "./coverage/sessions.ts";
import { ofStates } from "./coverage/states.ts";

/** By table. */
export const coverage: Tables = { ...ofLists, ...ofObjects, ...ofStates, ...ofSessions };
