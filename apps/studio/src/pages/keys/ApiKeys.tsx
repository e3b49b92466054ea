import {
  Field,
  formatNumber,
  optionalNumber,
  optionalText,
  QueryState,
  RelativeTime,
  Status,
  useForm,
  useTranslation,
} from "@purse/ui";
import { Plus } from "lucide-react";
import * as z from "zod/mini";
import { CreateSecretDialog } from "../../components/CreateSecretDialog.tsx";
import { CrudSection } from "../../components/CrudSection.tsx";
import { OptionalTime } from "../../components/cells.tsx";
import { DialogButton } from "../../components/DialogButton.tsx";
import { Page } from "../../components/Page.tsx";
import { useStudioList, useStudioMutation } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { type ApiKeyRow, keyName } from "./apiKey.ts";
import { KeyUsage } from "./KeyUsage.tsx";

const REFETCH_INTERVAL_MS = 5_000;

/** API keys of the data API and their usage. */
export function ApiKeys() {
  const { t } = useTranslation();
  const canEdit = useHasRole("owner");
  const keys = useStudioList("/keys", {}, { refetchInterval: REFETCH_INTERVAL_MS });
  return (
    <Page
      title={t("API keys")}
      description={t("API keys authenticate requests to the data API (/api/v2).")}
      editRole="owner"
      actions={
        <DialogButton
          icon={Plus}
          variant="primary"
          disabled={!canEdit}
          label={t("Create API key")}
          dialog={(close) => <NewKey onClose={close} />}
        />
      }
    >
      <QueryState query={keys} label={t("Loading API keys…")}>
        {(rows) => (
          <>
            <KeyTable keys={rows} />
            {rows.length > 0 && <KeyUsage keys={rows} />}
          </>
        )}
      </QueryState>
    </Page>
  );
}

function KeyTable({ keys }: { keys: readonly ApiKeyRow[] }) {
  const { t, language } = useTranslation();
  const canEdit = useHasRole("owner");
  return (
    <CrudSection
      title={t("API keys")}
      rows={keys}
      rowKey={({ id }) => id}
      empty={{ title: t("No API keys yet"), text: t("In production, the data API requires an API key.") }}
      columns={[
        { label: t("Name"), cell: (key) => <bdi>{keyName(key)}</bdi> },
        {
          label: t("Status"),
          cell: ({ revokedAt }) => (
            <Status kind={revokedAt ? "danger" : "ok"}>{revokedAt ? t("Revoked") : t("Active")}</Status>
          ),
        },
        {
          label: t("Requests this minute"),
          number: true,
          cell: ({ limit, usedThisMinute }) =>
            limit === undefined
              ? formatNumber(usedThisMinute, language)
              : t("{used, number} of {limit, number}", { used: usedThisMinute, limit }),
        },
        {
          label: t("Last used"),
          cell: ({ lastUsedAt }) => <OptionalTime at={lastUsedAt} otherwise={t("Never")} />,
        },
        { label: t("Created"), hideOnPhone: true, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
      ]}
      canEdit={canEdit}
      removal={{
        verb: t("Revoke"),
        isPossible: ({ revokedAt }) => revokedAt === undefined,
        label: (key) => t("Revoke {name}", { name: keyName(key) }),
        title: (key) => t("Revoke {name}?", { name: keyName(key) }),
        description: () =>
          t("Requests with this key are rejected within five seconds. This can't be undone."),
        run: (studio, { id }) => studio.delete("/keys/:id", { id }),
        successMessage: t("API key revoked"),
      }}
    />
  );
}

const NEW_KEY = z.object({
  name: optionalText,
  limit: optionalNumber(
    (limit) => Number.isInteger(limit) && limit >= 1 && limit < 1e9,
    "Enter a whole number of 1 or more, or leave empty.",
  ),
});

function NewKey({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const form = useForm(NEW_KEY, { name: "", limit: "" });
  const create = useStudioMutation((studio, { name, limit }: z.infer<typeof NEW_KEY>) =>
    studio.post("/keys", { ...(name !== "" && { name }), ...(limit !== undefined && { limit }) }),
  );
  return (
    <CreateSecretDialog
      onClose={onClose}
      title={t("Create API key")}
      form={form}
      mutation={create}
      secret={create.data?.key}
      secretTitle={t("Your new API key")}
      secretLabel={t("API key")}
      warning={t("You won't see this key again. The server stores only a hash of it.")}
      hint={t("Send it in the X-API-Key header.")}
    >
      <Field
        label={t("Name")}
        hint={t("Optional. Who or what uses this key.")}
        {...form.input("name")}
        maxLength={100}
        autoComplete="off"
      />
      <Field
        label={t("Requests per minute")}
        hint={t("Leave empty to use the server's default limit.")}
        inputMode="numeric"
        {...form.input("limit")}
      />
    </CreateSecretDialog>
  );
}
