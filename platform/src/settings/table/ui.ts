/** Settings that the server keeps for user interfaces. */
export const uiSettings = {
  "api-ui-version": {
    default: "1.1.11",
    kind: { type: "text" },
    about: "Version of the API browser",
  },
  "eula-agreed": {
    default: "",
    kind: { type: "text" },
    about: "When the terms of use were agreed to",
  },
  "display-add-extension-repos-banner": {
    default: "",
    kind: { type: "text" },
    about: "Whether the page of extensions offers their repositories",
  },
  "ui-banner-footer": {
    default: "",
    kind: { type: "text" },
    about: "Banner below every page",
    public: true,
  },
  "ui-banner-header": {
    default: "",
    kind: { type: "text" },
    about: "Banner above every page",
    public: true,
  },
  "ui-banner-dark": {
    default: "",
    kind: { type: "text" },
    about: "Banner of the home page on dark ground",
  },
  "ui-banner-light": {
    default: "",
    kind: { type: "text" },
    about: "Banner of the home page on light ground",
  },
  "ui-banner-login-consent": {
    default: "",
    kind: { type: "text" },
    about: "What is to be agreed to before login",
    public: true,
  },
  "ui-banners": {
    default: "{}",
    kind: { type: "json" },
    about: "Banners as one value",
    public: true,
  },
  "ui-brand": {
    default: "",
    kind: { type: "text" },
    about: "Brand of the user interface",
    defaultFrom: "CATTLE_BASE_UI_BRAND",
    public: true,
  },
  "ui-community-links": {
    default: "true",
    kind: { type: "boolean" },
    about: "Whether links to the community are shown",
  },
  "ui-content-enabled": {
    default: "",
    kind: { type: "text" },
    about: "Whether the user interface fetches news",
  },
  "ui-content-endpoint": {
    default: "",
    kind: { type: "url" },
    about: "Where the user interface fetches news",
  },
  "ui-custom-links": {
    default: "",
    kind: { type: "json" },
    about: "Links of one's own, by their text",
  },
  "ui-dashboard-harvester-legacy-plugin": {
    default: "",
    kind: { type: "text" },
    about: "Plugin for Harvester clusters that bring none",
  },
  "ui-dashboard-index": {
    default: "https://releases.rancher.com/dashboard/latest/index.html",
    kind: { type: "text" },
    about: "Where the Dashboard comes from if it is not served locally",
  },
  "ui-dashboard-path": {
    default: "/usr/share/rancher/ui-dashboard",
    kind: { type: "text" },
    about: "Folder of the Dashboard served locally",
  },
  "ui-default-landing": {
    default: "vue",
    kind: { type: "text" },
    about: "Page after login",
  },
  "ui-favicon": {
    default: "",
    kind: { type: "text" },
    about: "Icon of the page",
    public: true,
  },
  "ui-feedback-form": {
    default: "",
    kind: { type: "text" },
    about: "Form for feedback",
  },
  "ui-index": {
    default: "https://releases.rancher.com/ui/latest2/index.html",
    kind: { type: "text" },
    about: "Where the older user interface comes from",
  },
  "ui-issues": {
    default: "",
    kind: { type: "text" },
    about: "Where problems are reported",
  },
  "ui-k8s-default-version-range": {
    default: "<=1.14.x",
    kind: { type: "text" },
    about: "Kubernetes versions offered by default",
  },
  "ui-k8s-supported-versions-range": {
    default: ">= 1.11.0 <=1.14.x",
    kind: { type: "text" },
    about: "Kubernetes versions that count as supported",
  },
  "ui-link-color": {
    default: "",
    kind: { type: "text" },
    about: "Colour of links",
    public: true,
  },
  "ui-login-background-dark": {
    default: "",
    kind: { type: "text" },
    about: "Background of the login page on dark ground",
    public: true,
  },
  "ui-login-background-light": {
    default: "",
    kind: { type: "text" },
    about: "Background of the login page on light ground",
    public: true,
  },
  "ui-logo-dark": {
    default: "",
    kind: { type: "text" },
    about: "Logo on dark ground",
  },
  "ui-logo-light": {
    default: "",
    kind: { type: "text" },
    about: "Logo on light ground",
  },
  "ui-offline-preferred": {
    default: "dynamic",
    kind: { type: "choice", choices: ["dynamic", "true", "false"] },
    about: "Whether the Dashboard is served locally; dynamic: for releases",
  },
  "ui-path": {
    default: "/usr/share/rancher/ui",
    kind: { type: "text" },
    about: "Folder of the older user interface",
  },
  "ui-performance": {
    default: "",
    kind: { type: "json" },
    about: "What the Dashboard does for large numbers of objects",
  },
  "ui-pl": {
    default: "rancher",
    kind: { type: "text" },
    about: "Name of the product",
    public: true,
  },
  "ui-preferred": {
    default: "vue",
    kind: { type: "text" },
    about: "User interface in use",
  },
  "ui-primary-color": {
    default: "",
    kind: { type: "text" },
    about: "Colour of buttons",
    public: true,
  },
  "ui-theme": {
    default: "",
    kind: { type: "text" },
    about: "Theme for everybody, light or dark",
  },
} as const;
