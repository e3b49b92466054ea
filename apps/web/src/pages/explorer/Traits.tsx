import type { NftTraits } from "@purse/client";
import {
  EmptyState,
  formatNumber,
  isUnavailable,
  QueryState,
  SkeletonList,
  Table,
  useTranslation,
} from "@purse/ui";
import { getNFTTraitsByCollection } from "./dataApi.ts";
import { useDataQuery } from "./dataQueries.ts";
import { useExplorer } from "./ExplorerContext.ts";
import { PercentBar } from "./PercentBar.tsx";

/** Values shown for each trait. */
const MAX_VALUES = 50;

/** The traits of a collection with the share of items that have each value, the rarest first. */
export function Traits({ address }: { address: string }) {
  const { t } = useTranslation();
  const traits = useTraits(address);
  return (
    <QueryState
      query={traits}
      label={t("Loading traits")}
      skeleton={
        <div className="card">
          <SkeletonList rows={6} label={t("Loading traits")} />
        </div>
      }
      renderError={(error) =>
        isUnavailable(error) ? (
          <EmptyState title={t("Traits unavailable")}>
            {t("This server does not index the whole chain.")}
          </EmptyState>
        ) : undefined
      }
    >
      {(data) => <TraitTables data={data} />}
    </QueryState>
  );
}

/** The traits of a collection. */
export function useTraits(address: string) {
  const { chain } = useExplorer();
  return useDataQuery(getNFTTraitsByCollection, { chain: chain.hexId, address });
}

function TraitTables({ data: { traits, total_tokens: total, is_partial: isPartial } }: { data: NftTraits }) {
  const { t, language } = useTranslation();
  if (traits.length === 0) {
    return (
      <div className="card">
        <EmptyState title={t("No traits")}>{t("No metadata of this collection has traits.")}</EmptyState>
      </div>
    );
  }
  return (
    <div className="stack">
      <p className="small soft">
        {t("{n, plural, one {# item with metadata} other {# items with metadata}}", { n: total })}
        {isPartial && <> · {t("incomplete: the collection has too many values")}</>}
      </p>
      <div className="trait-tables">
        {traits.map(({ trait_type: name, values }) => {
          const sorted = [...values].sort((a, b) => a.count - b.count);
          return (
            <section key={name} className="card stack tight" aria-label={name.slice(0, 80)}>
              <h3>
                <bdi>{name.slice(0, 80) || t("Unnamed trait")}</bdi>
              </h3>
              <Table
                caption={name.slice(0, 80)}
                rows={sorted.slice(0, MAX_VALUES)}
                rowKey={({ value }) => `${typeof value} ${value}`}
                empty={null}
                columns={[
                  { label: t("Value"), cell: ({ value }) => <bdi>{String(value).slice(0, 120)}</bdi> },
                  { label: t("Items"), number: true, cell: ({ count }) => formatNumber(count, language) },
                  {
                    label: t("Share"),
                    number: true,
                    cell: ({ percentage }) => <PercentBar percent={percentage} />,
                  },
                ]}
              />
              {sorted.length > MAX_VALUES && (
                <p className="small soft">
                  {t("{n, plural, one {# more value} other {# more values}}", {
                    n: sorted.length - MAX_VALUES,
                  })}
                </p>
              )}
            </section>
          );
        })}
      </div>
    </div>
  );
}
