import type { Feature } from "../../server/feature.ts";
import type { Preference } from "../../server/preference.ts";
import type { Setting } from "../../server/setting.ts";
import type { AnyShape, Body } from "../shape.ts";

const setting: Body<Setting> = {
  "value?": "string",
  "default?": "string",
  "customized?": "boolean",
  "source?": "string",
};

const feature: Body<Feature> = {
  "spec?": { "value?|null": "boolean" },
  "status?": {
    "dynamic?": "boolean",
    "default?": "boolean",
    "description?": "string",
    "lockedValue?|null": "boolean",
    "prime?": "boolean",
  },
};

const preference: Body<Preference> = { "value?": "string" };

/** Shapes of the kinds in server/. */
export const serverShapes: Readonly<Record<string, AnyShape>> = {
  Setting: setting,
  Feature: feature,
  Preference: preference,
};
