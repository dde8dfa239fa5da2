/** The pages, and who sees their entries in the rail. A page group adds its lines here; README.md says how. */
import type { Route } from "./router.svelte.ts";

/** In the rail's order. The first match of a path counts. */
export const routes: readonly Route[] = [
  {
    path: "/",
    title: "Overview",
    page: () => import("../pages/overview/OverviewPage.svelte"),
    rail: { icon: "overview", key: "o" },
  },
  {
    path: "/providers/new",
    title: "Create provider",
    page: () => import("../pages/providers/NewProviderPage.svelte"),
  },
  {
    path: "/providers/:idp/:protocol/test-login",
    title: "Test login",
    page: () => import("../pages/test-login/TestLoginPage.svelte"),
  },
  {
    path: "/providers/:idp",
    title: "Provider",
    page: () => import("../pages/providers/ProviderPage.svelte"),
  },
  {
    path: "/providers",
    title: "Providers",
    page: () => import("../pages/providers/ProvidersPage.svelte"),
    rail: { icon: "providers", key: "p", needs: "identity:list_identity_providers" },
  },
  {
    path: "/service-providers",
    title: "Service providers",
    page: () => import("../pages/service-providers/ServiceProvidersPage.svelte"),
    within: "/providers",
  },
  {
    path: "/federation-document",
    title: "Federation as code",
    page: () => import("../pages/federation-document/FederationDocumentPage.svelte"),
    within: "/providers",
  },
  { path: "/guides", title: "Guide", page: () => import("../pages/guides/GuidePage.svelte") },
  {
    path: "/failed-logins",
    title: "Failed logins",
    page: () => import("../pages/failed-logins/FailedLoginsPage.svelte"),
    rail: { icon: "failed-logins", key: "f", needs: "identity:list_protocols" },
  },
  {
    path: "/mappings",
    title: "Mappings",
    page: () => import("../pages/mappings/MappingsPage.svelte"),
    rail: { icon: "mappings", key: "m", needs: "identity:list_mappings" },
  },
  { path: "/mappings/:id", title: "Mapping", page: () => import("../pages/mappings/WorkbenchPage.svelte") },
  {
    path: "/domains",
    title: "Domains",
    page: () => import("../pages/domains/DomainsPage.svelte"),
    rail: { icon: "domains", key: "d", needs: "identity:list_domains" },
  },
  {
    path: "/users",
    title: "Users",
    page: () => import("../pages/users/UsersPage.svelte"),
    rail: { icon: "users", key: "u", needs: "identity:list_users" },
  },
  {
    path: "/groups",
    title: "Groups",
    page: () => import("../pages/groups/GroupsPage.svelte"),
    rail: { icon: "groups", key: "s", needs: "identity:list_groups" },
  },
  {
    path: "/projects",
    title: "Projects",
    page: () => import("../pages/projects/ProjectsPage.svelte"),
    rail: { icon: "projects", key: "j", needs: "identity:list_projects" },
  },
  { path: "/projects/:id", title: "Project", page: () => import("../pages/projects/ProjectPage.svelte") },
  {
    path: "/roles",
    title: "Roles",
    page: () => import("../pages/roles/RolesPage.svelte"),
    rail: { icon: "roles", key: "r", needs: "identity:list_roles" },
  },
  {
    path: "/policy",
    title: "Policy",
    page: () => import("../pages/policy/PolicyPage.svelte"),
    rail: { icon: "policy", key: "y", needs: "identity:list_policy_rules" },
  },
  {
    path: "/limits",
    title: "Limits",
    page: () => import("../pages/limits/LimitsPage.svelte"),
    rail: { icon: "limits", key: "l", needs: "identity:list_limits" },
  },
  {
    path: "/catalog/:kind?",
    title: "Catalog",
    page: () => import("../pages/catalog/CatalogPage.svelte"),
    rail: { icon: "catalog", key: "c", needs: "identity:list_services" },
  },
  {
    path: "/audit",
    title: "Audit",
    page: () => import("../pages/audit/AuditPage.svelte"),
    rail: { icon: "audit", key: "a", needs: "identity:list_audit_events" },
  },
  {
    path: "/account/:part?",
    title: "Your account",
    page: () => import("../pages/account/AccountPage.svelte"),
  },
];
