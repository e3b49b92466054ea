import { DataSourceProvider, usesOnlyOwnFields, useTranslation } from "@purse/ui";
import { QueryClientProvider } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type LiveState, LiveStatus } from "../../components/LiveStatus.tsx";
import { queryClient } from "../../query/useServerQuery.ts";
import { usePageTitle } from "../../usePageTitle.ts";
import { ClassPicker } from "./ClassPicker.tsx";
import { ClassRecords } from "./ClassRecords.tsx";
import { DEFAULT_CLASS, isClassName } from "./classes.ts";
import { useClasses } from "./useClasses.ts";
import { useClientDataSource } from "./useClientDataSource.ts";
import "./Data.css";

/** The records of a class, updated live. */
export function Data() {
  usePageTitle("Data");
  const { t } = useTranslation();
  const search = useSearch({ from: "/data" });
  const navigate = useNavigate({ from: "/data" });
  const listed = useClasses();
  const className = search.class && isClassName(search.class) ? search.class : DEFAULT_CLASS;
  const [live, setLive] = useState<LiveState>("connecting");
  const classes = listed.data ?? undefined;
  const source = useClientDataSource();
  // Filters on fields of a pointer's target need its class.
  const isReady = listed.data !== undefined || (search.where ?? []).every(usesOnlyOwnFields);
  return (
    <QueryClientProvider client={queryClient}>
      <div className="page-head">
        <h1>{t("Data")}</h1>
        <LiveStatus state={live} />
      </div>
      <ClassPicker
        value={className}
        listed={classes?.map((each) => each.className)}
        query={listed}
        onChange={(chosen) => void navigate({ search: { class: chosen } })}
      />
      <DataSourceProvider value={source}>
        {isReady && (
          <ClassRecords
            key={className}
            className={className}
            search={search}
            listed={classes?.find((each) => each.className === className)}
            onLive={setLive}
          />
        )}
      </DataSourceProvider>
    </QueryClientProvider>
  );
}
