import { Chart, formatCount, QueryState, Select, useTranslation } from "@purse/ui";
import { Section } from "../../components/Page.tsx";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { useStudioQuery } from "../../components/useStudioQuery.ts";
import { type ApiKeyRow, keyName } from "./apiKey.ts";

const REFETCH_INTERVAL_MS = 30_000;

/** Requests per hour of one key or all keys. */
export function KeyUsage({ keys }: { keys: readonly ApiKeyRow[] }) {
  const { t, language } = useTranslation();
  const [id, setId] = useSearchParam("key");
  const usage = useStudioQuery("/keys/usage", {}, { refetchInterval: REFETCH_INTERVAL_MS });
  const selectedId = keys.some((key) => key.id === id) ? id : "";
  return (
    <Section title={t("Usage")}>
      <div className="filters">
        <Select
          label={t("API key")}
          value={selectedId}
          onChange={setId}
          options={[
            { key: "", label: t("All keys") },
            ...keys.map((key) => ({ key: key.id, label: keyName(key) })),
          ]}
        />
      </div>
      <QueryState query={usage} label={t("Loading usage…")}>
        {({ results }) => {
          const hours = results.map(({ at, requests }) => ({
            at: Date.parse(at),
            value:
              selectedId === ""
                ? Object.values(requests).reduce((sum, each) => sum + each, 0)
                : (requests[selectedId] ?? 0),
          }));
          return (
            <>
              <p className="number">
                {t(
                  "{n, plural, one {# request in the last 48 hours} other {# requests in the last 48 hours}}",
                  { n: hours.reduce((sum, { value }) => sum + value, 0) },
                )}
              </p>
              <Chart
                label={t("Requests per hour")}
                points={hours}
                format={(value) => formatCount(value, language)}
              />
            </>
          );
        }}
      </QueryState>
    </Section>
  );
}
