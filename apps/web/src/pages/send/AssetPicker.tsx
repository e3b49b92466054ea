import { Button, Dialog, EmptyState, FailedRead, Field, SkeletonList, useTranslation } from "@purse/ui";
import { ChevronDown } from "lucide-react";
import { useDeferredValue, useId, useState } from "react";
import { formatAmount } from "../../money/amount.ts";
import { fiatValue, formatFiat } from "../../money/fiat.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { AssetIcon } from "../../wallet/AssetIcon.tsx";
import type { Sendable } from "./sendable.ts";

/** Assets shown at most; a search finds the others. */
const MAX_SHOWN = 100;

export interface AssetPickerProps {
  items: readonly Sendable[];
  /** The chosen asset; undefined for none. */
  item: Sendable | undefined;
  onChoose: (item: Sendable) => void;
  label?: string;
  /** Finds further assets by a text. */
  find?: FindAssets | undefined;
}

type FindAssets = (text: string, options: { signal: AbortSignal }) => Promise<Sendable[]>;

/** Chooses an asset from a list with balances, values and a search. */
export function AssetPicker({ items, item, onChoose, label, find }: AssetPickerProps) {
  const { t } = useTranslation();
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="field">
      <span id={id} className="label">
        {label ?? t("Asset")}
      </span>
      <button
        type="button"
        className="button asset-choice"
        aria-haspopup="dialog"
        aria-labelledby={`${id} ${id}-value`}
        onClick={() => setIsOpen(true)}
      >
        {item && <AssetIcon address={item.contract} symbol={item.unit} />}
        <bdi id={`${id}-value`} className="clip grow">
          {item?.label ?? t("Choose an asset")}
        </bdi>
        <ChevronDown size={16} aria-hidden="true" />
      </button>
      {isOpen && (
        <AssetDialog
          items={items}
          find={find}
          onClose={() => setIsOpen(false)}
          onChoose={(chosen) => {
            setIsOpen(false);
            onChoose(chosen);
          }}
        />
      )}
    </div>
  );
}

interface AssetDialogProps {
  items: readonly Sendable[];
  find: FindAssets | undefined;
  onChoose: (item: Sendable) => void;
  onClose: () => void;
}

function AssetDialog({ items, find, onChoose, onClose }: AssetDialogProps) {
  const { t, language } = useTranslation();
  const [text, setText] = useState("");
  const searched = useDeferredValue(text.trim());
  const others = useServerQuery({
    queryKey: find && searched.length >= 2 ? ["assets", searched] : undefined,
    queryFn: (options) => (find ? find(searched, options) : Promise.resolve([])),
    keepPrevious: "loading",
  });
  const isOther = ({ key }: Sendable) => items.every((each) => each.key !== key);
  const found = [
    ...findAssets(items, text),
    ...(searched.length >= 2 ? (others.data ?? []) : []).filter(isOther),
  ];
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Choose an asset")}
      actions={<Button onClick={onClose}>{t("Cancel")}</Button>}
    >
      <div className="stack">
        <Field
          label={t("Search")}
          type="search"
          placeholder={t("Name, symbol or contract address")}
          value={text}
          onText={setText}
          isCode
        />
        <FailedRead query={others}>{t("Other tokens could not be searched")}</FailedRead>
        {found.length === 0 && others.isFetching ? (
          <SkeletonList rows={2} label={t("Searching…")} />
        ) : found.length === 0 ? (
          <EmptyState title={t("No matching assets")} />
        ) : (
          <ul className="list asset-list" aria-label={t("Assets")}>
            {found.slice(0, MAX_SHOWN).map((each) => (
              <li key={each.key}>
                <button type="button" className="asset-option" onClick={() => onChoose(each)}>
                  <AssetIcon address={each.contract} symbol={each.unit} />
                  <bdi className="clip">{each.label}</bdi>
                  <span className="number right">
                    {each.type === "erc721" ? "" : formatAmount(each.balance, each.decimals, language)}
                    {each.usdPrice !== null && (
                      <span className="small soft asset-worth">
                        {formatFiat(fiatValue(each.balance, each.decimals, each.usdPrice), language)}
                      </span>
                    )}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
        {found.length > MAX_SHOWN && (
          <p className="small soft">
            {t(
              "{n, plural, one {# more asset. Search to find it.} other {# more assets. Search to find them.}}",
              { n: found.length - MAX_SHOWN },
            )}
          </p>
        )}
      </div>
    </Dialog>
  );
}

/** The assets whose name, symbol or contract contains a text. */
export function findAssets(items: readonly Sendable[], text: string): Sendable[] {
  const searched = text.trim().toLowerCase();
  return items.filter(({ label, contract }) => `${label} ${contract ?? ""}`.toLowerCase().includes(searched));
}
