import type { StudioChain } from "@purse/server/studio-api";
import {
  address,
  Button,
  ErrorState,
  Field,
  formatPercent,
  QueryState,
  Status,
  Table,
  useForm,
  useTranslation,
} from "@purse/ui";
import * as z from "zod/mini";
import { useStudioMutation, useStudioQuery } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";

const REFETCH_INTERVAL_MS = 5_000;
const WALLET = z.object({ address });

/** The wallets of a chain whose index covers wallets only. */
export function WatchedAddresses({ chain }: { chain: StudioChain }) {
  const { t, language } = useTranslation();
  const canEdit = useHasRole("editor");
  const chainId = String(chain.chain);
  const watched = useStudioQuery(
    "/chains/:chainId/addresses",
    { chainId },
    { refetchInterval: REFETCH_INTERVAL_MS },
  );
  const form = useForm(WALLET, { address: "" });
  const add = useStudioMutation(
    (studio, wallet: z.infer<typeof WALLET>) =>
      studio.post("/chains/:chainId/addresses", { chainId, ...wallet }),
    t("Wallet added"),
  );
  return (
    <>
      <h3>{t("Indexed wallets")}</h3>
      <p className="soft small">
        {t("Wallets of users, and wallets queried through the data API, are added automatically.")}
      </p>
      <form onSubmit={form.submit((wallet) => add.mutate(wallet, { onSuccess: form.reset }))}>
        <Field
          label={t("Add address")}
          {...form.input("address")}
          isCode
          after={
            <Button type="submit" disabled={!canEdit || !form.isValid} busy={add.isPending}>
              {t("Add")}
            </Button>
          }
        />
      </form>
      {add.error && <ErrorState error={add.error} />}
      <QueryState query={watched} label={t("Loading indexed wallets…")}>
        {({ results, count: total }) => (
          <>
            <p className="soft small number">
              {t("{n, plural, one {# indexed wallet} other {# indexed wallets}}", { n: total })}
            </p>
            <Table
              caption={t("Indexed wallets")}
              rows={results}
              rowKey={(each) => each.address}
              empty={<p className="soft">{t("No indexed wallets yet")}</p>}
              columns={[
                { label: t("Address"), cell: (each) => <code>{each.address}</code> },
                {
                  label: t("History"),
                  cell: ({ percent }) => (
                    <Status kind={percent >= 100 ? "ok" : "busy"}>
                      {percent >= 100
                        ? t("Indexed")
                        : t("{percent} indexed", { percent: formatPercent(percent / 100, language, 1) })}
                    </Status>
                  ),
                },
              ]}
            />
          </>
        )}
      </QueryState>
    </>
  );
}
