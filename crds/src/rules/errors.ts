/** What the arithmetic of rules throws; each class says when. */

/** Thrown when role templates inherit each other in a circle. */
export class CircularInheritanceError extends Error {
  override readonly name = "CircularInheritanceError";
  /** Names along the circle; the first is the last as well. */
  readonly path: readonly string[];

  constructor(path: readonly string[]) {
    const way = path.length > longest ? [...path.slice(0, longest), "..."] : path;
    super(`role template ${path[0]} inherits itself: ${way.join(" > ")}`);
    this.path = path;
  }
}

/** Steps of a circle that a message tells. */
const longest = 20;

/** Thrown when a role template inherits one that does not exist. */
export class MissingRoleTemplateError extends Error {
  override readonly name = "MissingRoleTemplateError";
  /** The one that does not exist. */
  readonly roleTemplate: string;
  /** Who names it in roleTemplateNames. */
  readonly inheritedBy: string;

  constructor(roleTemplate: string, inheritedBy: string) {
    super(`role template ${inheritedBy} inherits ${roleTemplate}, which does not exist`);
    this.roleTemplate = roleTemplate;
    this.inheritedBy = inheritedBy;
  }
}

/** Thrown when an external role template has neither externalRules nor a ClusterRole of its name: nobody knows what it allows. */
export class MissingClusterRoleError extends Error {
  override readonly name = "MissingClusterRoleError";
  /** Name of the role template and of the ClusterRole. */
  readonly clusterRole: string;

  constructor(clusterRole: string) {
    super(
      `external role template ${clusterRole} has no externalRules, and ClusterRole ${clusterRole} does not exist`,
    );
    this.clusterRole = clusterRole;
  }
}

/** Thrown instead of comparing rules for seconds: only rules made to be slow need that many comparisons. */
export class RulesTooLargeError extends Error {
  override readonly name = "RulesTooLargeError";

  constructor(comparisons: number) {
    super(`rules cannot be compared: more than ${comparisons} comparisons are needed`);
  }
}
