export {
  type Registration,
  type RegistrationSources,
  registrationOf,
  registrationSecrets,
} from "./authenticate.ts";
export {
  type RegistrationValues,
  readRegistrationValues,
  registrationData,
  registrationOwner,
} from "./values.ts";
