/** Names that people and programs see. */

import { lifecycleNames } from "@drover/crds";

/** The controller; its field manager is `drover-projects`. */
export const controllerName = "projects";

/** Rancher's, so that projects of a Rancher before us are let go of (rancher: pkg/controllers/management/auth/project_cluster). */
export const finalizer: string = lifecycleNames("mgmt-project-rbac-remove").finalizer;

/** Ids of sets, by which an object tells why it is there. */
export const setIds = {
  namespace: "drover-BackingNamespaceCreated",
  roles: "drover-InitialRolesPopulated",
} as const;

/** Types of conditions; Rancher's. */
export const conditions = {
  namespace: "BackingNamespaceCreated",
  creator: "CreatorMadeOwner",
  roles: "InitialRolesPopulated",
  /** While the project is being deleted, and somebody holds it. */
  removed: "Removed",
} as const;

/** Of a Cluster; Rancher's: it is reached. */
export const connected = "Connected";

/** Reasons of conditions, and of the Events that tell the same. */
export const reasons = {
  /** Somebody else's namespace has the name. */
  taken: "NameTaken",
  /** The namespace of a project that had the name before is on its way out. */
  terminating: "NamespaceTerminating",
  /** The server did not take an object. */
  applyFailed: "ApplyFailed",
  /** The server finds an object invalid, and will until the project is another. */
  invalid: "Invalid",
  /** The annotation that says which roles the creator gets is no JSON object. */
  unreadable: "InvalidCreatorRoles",
  /** The creator is no User; nobody was bound. */
  noUser: "CreatorNotFound",
  /** A namespace was left when its project was deleted, because it is not the project's. */
  spared: "NamespaceSpared",
  /** The controllers of its cluster hold a project that is being deleted. */
  waitsForCluster: "WaitsForCluster",
  /** Finalizers of others hold it. */
  waitsForFinalizers: "WaitsForFinalizers",
} as const;

/** The one role of creators in the projects that the server makes for its own cluster. */
export const ownerTemplate = "project-owner";

/** Indexes of Projects. */
export const projectIndexes = {
  backingNamespace: "projects.backing-namespace",
  name: "projects.name",
  /** By the cluster whose controllers hold them. */
  held: "projects.held",
  /** Those that are being deleted, by the cluster whose controllers hold them. */
  awaited: "projects.awaited",
} as const;

/** Index of ProjectRoleTemplateBindings by their project. */
export const bindingsByProject = "projects.project";

/** Index of RoleTemplates: under "true" those that creators of projects get. */
export const creatorTemplates = "projects.creator-default";
