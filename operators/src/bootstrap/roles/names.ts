/** Names that people and programs see. */

/** Label of what the server itself made; its value says what it is. */
export const bootstrappingLabel = "authz.management.cattle.io/bootstrapping";

/** Values of that label on built-in roles (rancher: pkg/data/management/rolebuilder.go). */
export const bootstrappingValues = {
  globalRole: "default-globalrole",
  roleTemplate: "default-roletemplate",
} as const;

/** Annotation, "true" once a role got its default flag: whoever takes the flag away afterwards is not overruled. */
export const bootstrappedAnnotation = "authz.management.cattle.io/bootstrapped-role";
