import type { StudioKeyUsage } from "@purse/protocol";
import { Chart } from "../../../design/Chart.tsx";
import { Select } from "../../../design/Choice.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useAnswer } from "../parts/asking.ts";
import { Answered, Section } from "../parts/Room.tsx";
import { useUrl } from "../parts/useUrl.ts";
import { type ApiKeyRow, nameOf } from "./apiKey.ts";

const EVERY_MS = 30_000;

/** How much a key, or all of them, asked in the last days. */
export function KeyUsage({ keys }: { keys: readonly ApiKeyRow[] }) {
  const { t, language, count } = useTranslation();
  const [id, setId] = useUrl("key");
  const usage = useAnswer<{ results: StudioKeyUsage[] }>("/keys/usage", { every: EVERY_MS });
  const known = keys.some((key) => key.id === id) ? id : "";
  const number = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
  return (
    <Section title={t("Usage")}>
      <div className="filters">
        <Select
          label={t("Key")}
          value={known}
          onChange={setId}
          options={[
            { key: "", label: t("All keys") },
            ...keys.map((key) => ({ key: key.id, label: nameOf(key) })),
          ]}
        />
      </div>
      <Answered answer={usage} label={t("Loading the usage")}>
        {({ results }) => {
          const hours = results.map(({ at, requests }) => ({
            at: Date.parse(at),
            value:
              known === ""
                ? Object.values(requests).reduce((sum, each) => sum + each, 0)
                : (requests[known] ?? 0),
          }));
          return (
            <>
              <p className="number">
                {count(
                  hours.reduce((sum, { value }) => sum + value, 0),
                  "{n} request in the last two days",
                  "{n} requests in the last two days",
                )}
              </p>
              <Chart
                label={t("Requests in an hour")}
                points={hours}
                format={(value) => number.format(value)}
              />
            </>
          );
        }}
      </Answered>
    </Section>
  );
}
