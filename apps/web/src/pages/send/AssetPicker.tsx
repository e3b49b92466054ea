import { Button, Dialog, EmptyState, Field, Identicon, useTranslation } from "@purse/ui";
import { ChevronDown } from "lucide-react";
import { useId, useState } from "react";
import { formatAmount } from "../../money/amount.ts";
import { fiatValue, formatFiat } from "../../money/fiat.ts";
import type { Sendable } from "./sendable.ts";

/** Assets shown at most; a search finds the others. */
const MAX_SHOWN = 100;

export interface AssetPickerProps {
  items: readonly Sendable[];
  item: Sendable;
  onChoose: (key: string) => void;
}

/** Chooses the asset to send, from a list with balances, values and a search. */
export function AssetPicker({ items, item, onChoose }: AssetPickerProps) {
  const { t } = useTranslation();
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="field">
      <span id={id} className="label">
        {t("Asset")}
      </span>
      <button
        type="button"
        className="button asset-choice"
        aria-haspopup="dialog"
        aria-labelledby={`${id} ${id}-value`}
        onClick={() => setIsOpen(true)}
      >
        <AssetIcon item={item} />
        <bdi id={`${id}-value`} className="clip grow">
          {item.label}
        </bdi>
        <ChevronDown size={16} aria-hidden="true" />
      </button>
      {isOpen && (
        <AssetDialog
          items={items}
          onClose={() => setIsOpen(false)}
          onChoose={(key) => {
            setIsOpen(false);
            onChoose(key);
          }}
        />
      )}
    </div>
  );
}

function AssetDialog({
  items,
  onChoose,
  onClose,
}: {
  items: readonly Sendable[];
  onChoose: (key: string) => void;
  onClose: () => void;
}) {
  const { t, language } = useTranslation();
  const [text, setText] = useState("");
  const found = findAssets(items, text);
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
          onChange={(event) => setText(event.target.value)}
          isCode
        />
        {found.length === 0 ? (
          <EmptyState title={t("No matching assets")} />
        ) : (
          <ul className="list asset-list" aria-label={t("Assets")}>
            {found.slice(0, MAX_SHOWN).map((each) => (
              <li key={each.key}>
                <button type="button" className="asset-option" onClick={() => onChoose(each.key)}>
                  <AssetIcon item={each} />
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
              {
                n: found.length - MAX_SHOWN,
              },
            )}
          </p>
        )}
      </div>
    </Dialog>
  );
}

function AssetIcon({ item }: { item: Sendable }) {
  return item.contract === null ? (
    <span className="coin-icon" aria-hidden="true">
      {item.unit.slice(0, 1)}
    </span>
  ) : (
    <Identicon address={item.contract} size={24} />
  );
}

/** The assets whose name, symbol or contract contains a text. */
export function findAssets(items: readonly Sendable[], text: string): Sendable[] {
  const searched = text.trim().toLowerCase();
  return items.filter(({ label, contract }) => `${label} ${contract ?? ""}`.toLowerCase().includes(searched));
}
