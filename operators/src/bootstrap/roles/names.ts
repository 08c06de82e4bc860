/** Names that people and programs see. */

/** Values of label `bootstrapping` on built-in roles (rancher: pkg/data/management/rolebuilder.go). */
export const bootstrappingValues = {
  globalRole: "default-globalrole",
  roleTemplate: "default-roletemplate",
} as const;

/** Annotation, "true" once a role got its default flag: whoever takes the flag away afterwards is not overruled. */
export const bootstrappedAnnotation = "authz.management.cattle.io/bootstrapped-role";
