/** A provider that is being set up, as the steps of the wizard share it: its names, settings and rules, what is stored, and what a login would give. */
import { api, ask, isAbort, type paths } from "../../../api/client.ts";
import { announce } from "../../../ui/states/announce.svelte.ts";
import { counted } from "../../../ui/values/counts.ts";
import {
  listProtocols,
  orMissing,
  proposedRemoteId,
  putMapping,
  putProtocol,
  putProvider,
  readProvider,
  readRules,
  refreshProtocol,
  type Protocol,
} from "../provider-api.ts";
import type { FormType, ProviderKind } from "../protocol-types.ts";
import { settingsOf, valuesOf, type SettingsValues } from "../settings-values.ts";
import { clicksOf, rulesOf, usualRules, type ClickedRules } from "./clicked-rules.ts";

export type Evaluation =
  paths["/v3/OS-FEDERATION/mappings/evaluate"]["post"]["responses"]["200"]["content"]["application/json"];

/** The choice of a domain that does not exist yet. */
export const NEW_DOMAIN = "new";

/** What the wizard has stored; the ids of the forms may be others by now. */
interface Stored {
  readonly idpId: string;
  readonly domainId: string;
  readonly isEnabled: boolean;
  readonly remoteIds: readonly string[];
  readonly protocolId?: string;
  readonly protocol?: Protocol;
}

interface Start {
  readonly idpId: string;
  readonly protocolId: string;
}

/** Reactive. */
export class ProviderSetup {
  idpId = $state("");
  protocolId = $state("");
  /** Empty before one is chosen. */
  domainId = $state("");
  values = $state.raw<SettingsValues>({});
  stored = $state.raw<Stored>();
  /** `undefined` while the rules are of another form than clicks make. */
  clicked = $state.raw<ClickedRules>();
  /** The rules as they are stored, by their mapping. */
  storedRules = $state.raw<{ readonly mappingId: string; readonly rules: readonly object[] | undefined }>();
  evaluation = $state.raw<Evaluation>();
  /** The mapping that this wizard has written: its rules may be replaced without a question. */
  #ownMapping = $state<string>();
  #ownRemoteId: string | undefined;
  #evaluating: AbortController | undefined;
  readonly #kind: ProviderKind;
  readonly #type: FormType;

  readonly hasProvider: boolean = $derived(this.stored?.idpId === this.idpId);
  readonly protocol: Protocol | undefined = $derived(
    this.hasProvider && this.stored?.protocolId === this.protocolId ? this.stored.protocol : undefined,
  );
  readonly mappingId: string = $derived(this.protocol?.mapping_id ?? this.idpId);
  readonly rules: readonly object[] = $derived(
    this.clicked === undefined
      ? (this.storedRules?.rules ?? [])
      : rulesOf(this.clicked, this.stored?.domainId ?? ""),
  );
  readonly isSaved: boolean = $derived(
    JSON.stringify(this.rules) === JSON.stringify(this.storedRules?.rules ?? null),
  );
  /** Whether all checks of the settings passed, or only warned. */
  readonly isFine: boolean = $derived(
    this.protocol !== undefined && !this.protocol.checks?.some(({ status }) => status === "failure"),
  );

  constructor(kind: ProviderKind, type: FormType, { idpId, protocolId }: Start) {
    this.#kind = kind;
    this.#type = type;
    this.idpId = idpId;
    this.protocolId = protocolId;
    this.values = valuesOf(type.form, kind.settings);
    this.clicked = usualRules(kind);
  }

  /** Whether the rules are someone else's, which a login may need. */
  get isForeignMapping(): boolean {
    const rules = this.storedRules?.rules;
    if (rules === undefined || this.#ownMapping === this.mappingId) return false;
    const usual = rulesOf(usualRules(this.#kind), this.stored?.domainId ?? "");
    return JSON.stringify(rules) !== JSON.stringify(usual);
  }

  get place() {
    return { idpId: this.idpId, protocolId: this.protocolId };
  }

  /** What an earlier visit of the wizard has stored by these ids. */
  async restore(): Promise<void> {
    const provider = await orMissing(readProvider(this.idpId));
    if (provider === undefined) return;
    const protocol = (await listProtocols(this.idpId)).find(({ id }) => id === this.protocolId);
    const { domain_id: domainId, enabled: isEnabled, remote_ids: remoteIds } = provider;
    const found = { idpId: this.idpId, domainId, isEnabled, remoteIds };
    this.domainId = domainId;
    if (protocol === undefined) this.stored = found;
    else if (protocol.settings?.type !== this.#type.type)
      throw new Error(`the protocol ${this.protocolId} of ${this.idpId} is not one of ${this.#kind.title}`);
    else {
      this.stored = { ...found, protocolId: this.protocolId, protocol };
      this.values = valuesOf(this.#type.form, protocol.settings);
    }
  }

  /** Whether the id is that of a provider that this wizard has not stored. */
  async isTaken(): Promise<boolean> {
    return !this.hasProvider && (await orMissing(readProvider(this.idpId))) !== undefined;
  }

  /** Stores the provider, disabled, its mapping and its protocol: what the service finds are the checks. */
  async saveSettings(): Promise<void> {
    const domainId = this.hasProvider ? (this.stored?.domainId ?? "") : await this.#requireDomain();
    if (!this.hasProvider) {
      await putProvider(this.idpId, { enabled: false, domain_id: domainId, remote_ids: [] }, false);
      this.stored = { idpId: this.idpId, domainId, isEnabled: false, remoteIds: [] };
      this.#ownRemoteId = undefined;
    }
    if ((await readRules(this.mappingId)) === undefined) {
      const rules = rulesOf(usualRules(this.#kind), domainId);
      await putMapping(this.mappingId, rules, false);
      this.#ownMapping = this.mappingId;
      this.storedRules = { mappingId: this.mappingId, rules };
    }
    const settings = settingsOf(this.#type, this.values, this.protocol?.settings);
    await this.#saveProtocol(settings);
    this.values = valuesOf(this.#type.form, this.protocol?.settings);
    const failures = this.protocol?.checks?.filter(({ status }) => status === "failure").length ?? 0;
    announce(failures === 0 ? "Saved; all checks passed" : `Saved; ${counted(failures, "check")} failed`);
  }

  /** Sets members of the settings that a check proposes. */
  async saveProposal(settings: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#saveProtocol(settings);
    this.values = valuesOf(this.#type.form, this.protocol?.settings);
  }

  /** Whether the metadata may be that of a federation, of which no provider is chosen yet, or several are. */
  get mayChooseEntities(): boolean {
    const isRead = !this.protocol?.checks?.some(
      ({ check, status }) => check === "metadata" && status === "failure",
    );
    const hasSeveral = (this.stored?.remoteIds.length ?? 0) > 1;
    return this.#type.lists_entities && this.protocol !== undefined && (!isRead || hasSeveral);
  }

  async saveRemoteIds(remoteIds: readonly string[]): Promise<void> {
    const { stored, protocolId } = this;
    if (stored === undefined) return;
    await putProvider(this.idpId, { remote_ids: remoteIds }, true);
    const protocol = await refreshProtocol(this.idpId, protocolId);
    this.stored = { ...stored, remoteIds, protocol };
    announce("Saved remote ids");
  }

  async #requireDomain(): Promise<string> {
    if (this.domainId !== NEW_DOMAIN) return this.domainId;
    const body = {
      domain: { name: this.idpId, description: `Users of the identity provider ${this.idpId}` },
    };
    const { domain } = await ask(api.POST("/v3/domains", { body }));
    this.domainId = domain.id;
    return domain.id;
  }

  async #saveProtocol(settings: Readonly<Record<string, unknown>>): Promise<void> {
    const draft = { mapping_id: this.mappingId, settings };
    const saved = await putProtocol(this.idpId, this.protocolId, draft, this.protocol !== undefined);
    const protocol = await this.#withRemoteId(saved);
    if (this.stored !== undefined) this.stored = { ...this.stored, protocolId: this.protocolId, protocol };
  }

  /** The provider's remote ids with that of these settings, instead of the one of earlier settings. */
  async #withRemoteId(protocol: Protocol): Promise<Protocol> {
    const { stored } = this;
    const wanted = proposedRemoteId(protocol);
    if (stored === undefined || wanted === undefined || stored.isEnabled) return protocol;
    const remoteIds = [...stored.remoteIds.filter((id) => id !== this.#ownRemoteId), wanted];
    await putProvider(this.idpId, { remote_ids: remoteIds }, true);
    this.#ownRemoteId = wanted;
    this.stored = { ...stored, remoteIds };
    return refreshProtocol(this.idpId, protocol.id);
  }

  async loadRules(): Promise<void> {
    const { mappingId } = this;
    const rules = await readRules(mappingId);
    if (mappingId !== this.mappingId) return;
    this.storedRules = { mappingId, rules };
    const domainId = this.stored?.domainId ?? "";
    this.clicked = rules === undefined ? usualRules(this.#kind) : clicksOf(rules, domainId);
  }

  async saveRules(): Promise<void> {
    const { rules, mappingId } = this;
    await putMapping(mappingId, rules, this.storedRules?.rules !== undefined);
    this.#ownMapping = mappingId;
    this.storedRules = { mappingId, rules };
    announce("Saved mapping");
  }

  /** What the rules make of a login. A run that is under way is given up. */
  async evaluate(attributes: Readonly<Record<string, unknown>>): Promise<void> {
    this.#evaluating?.abort();
    const running = new AbortController();
    this.#evaluating = running;
    const body = {
      rules: this.rules,
      assertion: attributes,
      identity_provider_id: this.idpId,
      protocol_id: this.protocolId,
    };
    try {
      const { signal } = running;
      const evaluation = await ask(api.POST("/v3/OS-FEDERATION/mappings/evaluate", { body, signal }));
      if (!signal.aborted) this.evaluation = evaluation;
    } catch (error) {
      if (!isAbort(error)) throw error;
    }
  }

  async enable(): Promise<void> {
    await putProvider(this.idpId, { enabled: true }, true);
    if (this.stored !== undefined) this.stored = { ...this.stored, isEnabled: true };
    announce(`Enabled provider ${this.idpId}`);
  }
}
