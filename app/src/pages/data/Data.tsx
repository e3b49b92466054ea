import { type ParseObject, ParseObject as Record } from "@purse/client";
import { useMoralis } from "@purse/react";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { Button } from "../../design/Button.tsx";
import { Checkbox, Select } from "../../design/Choice.tsx";
import { type LiveState, LiveStatus } from "../../design/LiveStatus.tsx";
import { Moment } from "../../design/Moment.tsx";
import { QueryState } from "../../design/QueryState.tsx";
import { EmptyState } from "../../design/states.tsx";
import { Table } from "../../design/Table.tsx";
import { useToast } from "../../design/Toasts.tsx";
import { explain } from "../../explain.ts";
import { useLiveRecords } from "../../query/useLiveRecords.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { usePageTitle } from "../../usePageTitle.ts";
import { accessInWords, grantsOf, isSharedWith, mayWrite } from "./access.ts";
import { ClassPicker } from "./ClassPicker.tsx";
import { FIRST_CLASS, isClassName, rememberClass } from "./classes.ts";
import { type FieldOf, fieldsOf, titleOf } from "./columns.ts";
import { Filters } from "./Filters.tsx";
import { filtersOf, isFieldName, narrow, textOfFilters } from "./filter.ts";
import { RecordPanel } from "./RecordPanel.tsx";
import type { DataSearch } from "./search.ts";
import { useFreshIds } from "./useFreshIds.ts";
import { type ListedClass, useListedClasses } from "./useListedClasses.ts";
import { summary } from "./values.ts";
import "./Data.css";

const SHOWN = 100;
const COLUMNS = 4;
const NONE: readonly ParseObject[] = [];

/** Records of a class as they are now: own and shared, changed in place, live. */
export function Data() {
  usePageTitle("Data");
  const { t } = useTexts();
  const search = useSearch({ from: "/data" });
  const navigate = useNavigate({ from: "/data" });
  const listed = useListedClasses();
  const className = search.class && isClassName(search.class) ? search.class : FIRST_CLASS;
  const [live, setLive] = useState<LiveState>("connecting");
  const classes = listed.data ?? undefined;
  return (
    <>
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
      <ClassRecords
        key={className}
        className={className}
        search={search}
        listed={classes?.find((each) => each.className === className)}
        onLive={setLive}
      />
    </>
  );
}

interface ClassRecordsProps {
  className: string;
  search: DataSearch;
  /** What the server tells of the class. */
  listed: ListedClass | undefined;
  onLive: (state: LiveState) => void;
}

function ClassRecords({ className, search, listed, onLive }: ClassRecordsProps) {
  const texts = useTexts();
  const { t, language } = texts;
  const { user } = useMoralis();
  const toast = useToast();
  const navigate = useNavigate({ from: "/data" });
  const sort = search.sort && isFieldName(search.sort.replace(/^-/, "")) ? search.sort : "-createdAt";
  const filters = useMemo(() => filtersOf(search.where), [search.where]);
  const found = useLiveRecords(className, (query) => narrow(query, filters, sort).limit(SHOWN), [
    search.where,
    sort,
  ]);
  const { data: records = NONE, live } = found;
  useEffect(() => onLive(live), [onLive, live]);
  useEffect(() => {
    if (found.data) rememberClass(className);
  }, [className, found.data]);
  const fresh = useFreshIds(records);
  const fields = useMemo(() => fieldsOf(className, records, listed?.fields), [className, records, listed]);
  const isOwn = (record: ParseObject) => user !== null && mayWrite(grantsOf(record.getACL()), user.id);
  const isShared = (record: ParseObject) => isSharedWith(grantsOf(record.getACL()), user?.id);
  const rows = user
    ? records.filter({ own: isOwn, shared: isShared, all: () => true }[search.whose ?? "all"])
    : records;
  const isNarrowed = filters.length > 0 || search.whose !== undefined;
  const change = (to: Partial<DataSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...to }), resetScroll: false });
  const opened = records.find(({ id }) => id === search.record);
  const refetch = () => void found.refetch();

  async function toggle(record: ParseObject, field: string, isOn: boolean) {
    try {
      await record.save({ [field]: isOn });
      refetch();
    } catch (error) {
      record.revert();
      toast(inOneLine(error, t));
    }
  }

  async function remove(record: ParseObject) {
    const acl = record.getACL();
    const values = Object.fromEntries(fields.map(({ name }) => [name, record.get(name)]));
    const kept = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
    try {
      await record.destroy();
      refetch();
      toast(t("Record deleted"), {
        label: t("Undo"),
        run: () => {
          const again = new Record(className, kept);
          if (acl) again.setACL(acl);
          again.save().then(
            () => {
              refetch();
              toast(t("It is back, under a new id"));
            },
            (error: unknown) => toast(inOneLine(error, t)),
          );
        },
      });
    } catch (error) {
      toast(inOneLine(error, t));
    }
  }

  return (
    <section className="card stack" aria-label={t("{class} records", { class: className })}>
      <div className="data-bar">
        <Filters
          fields={fields.map(({ name }) => name)}
          filters={filters}
          onFilters={(next) => change({ where: textOfFilters(next) })}
          sort={sort}
          onSort={(next) => change({ sort: next === "-createdAt" ? undefined : next })}
        />
        {user ? (
          <>
            <Select
              label={t("Whose")}
              hideLabel
              value={search.whose ?? "all"}
              onChange={(whose) => change({ whose: whose === "all" ? undefined : whose })}
              options={[
                { key: "all", label: t("All that I may read") },
                { key: "own", label: t("What I may change") },
                { key: "shared", label: t("Shared with me") },
              ]}
            />
            {listed?.create !== false && (
              <Button look="primary" onClick={() => change({ record: "new" })}>
                {t("New record")}
              </Button>
            )}
          </>
        ) : (
          <Link to="/sign-in" search={{ next: `/data?class=${className}` }} className="button">
            {t("Sign in to write")}
          </Link>
        )}
      </div>
      <QueryState query={found} label={t("Loading records")} skeleton={table(undefined)}>
        {() => table(rows)}
      </QueryState>
      {records.length >= SHOWN && (
        <p className="small soft">{t("The first {n} are shown: filters find others.", { n: SHOWN })}</p>
      )}
      {search.record === "new" && user && (
        <RecordPanel
          className={className}
          record={undefined}
          fields={fields}
          addsFields={listed?.addField !== false}
          onClose={() => change({ record: undefined })}
          onSaved={refetch}
        />
      )}
      {opened && (
        <RecordPanel
          key={opened.id}
          className={className}
          record={opened}
          fields={fields}
          addsFields={listed?.addField !== false}
          onClose={() => change({ record: undefined })}
          onSaved={refetch}
        />
      )}
    </section>
  );

  function table(shown: readonly ParseObject[] | undefined) {
    return (
      <Table
        caption={t("{class} records", { class: className })}
        rows={shown}
        keyOf={(record) => record.id ?? ""}
        empty={
          <EmptyState title={isNarrowed ? t("Nothing like this") : t("No records yet")}>
            {search.whose === "shared" && user
              ? t("Nobody else has given you anything here. Records that everyone may read do not count.")
              : isNarrowed
                ? t("No record that you may read meets all filters.")
                : user
                  ? listed?.create === false
                    ? t("You may not make records of this class.")
                    : t("Make the first one: New record.")
                  : t("Sign in to make the first one.")}
          </EmptyState>
        }
        columns={[
          {
            key: "title",
            label: t("Record"),
            cell: (record) => (
              <button
                type="button"
                className="record-title"
                data-fresh={fresh.has(record.id ?? "")}
                onClick={() => change({ record: record.id })}
              >
                <bdi>{titleOf(record)}</bdi>
              </button>
            ),
          },
          ...shownFields(fields, records).map(({ name, type }) => ({
            key: name,
            label: name,
            number: type === "number",
            cell: (record: ParseObject) =>
              type === "boolean" ? (
                <Checkbox
                  label={<span className="visually-hidden">{`${name}: ${titleOf(record)}`}</span>}
                  checked={record.get(name) === true}
                  disabled={!isOwn(record)}
                  onChange={(isOn) => void toggle(record, name, isOn)}
                />
              ) : (
                <bdi className="value clip">{summary(record.get(name), language).slice(0, 200)}</bdi>
              ),
          })),
          {
            key: "access",
            label: t("Access"),
            minor: true,
            cell: (record) => (
              <span className="small soft">{accessInWords(grantsOf(record.getACL()), user?.id, texts)}</span>
            ),
          },
          {
            key: "changed",
            label: t("Changed"),
            cell: (record) => <Moment at={record.updatedAt ?? 0} />,
          },
          {
            key: "actions",
            label: <span className="visually-hidden">{t("Actions")}</span>,
            cell: (record) =>
              isOwn(record) ? (
                <Button
                  small
                  look="quiet"
                  onClick={() => void remove(record)}
                  aria-label={t("Delete: {record}", { record: titleOf(record) })}
                >
                  {t("Delete")}
                </Button>
              ) : null,
          },
        ]}
      />
    );
  }
}

/** The columns: without what the title says already. */
function shownFields(fields: readonly FieldOf[], records: readonly ParseObject[]): FieldOf[] {
  const said = records.map(titleOf);
  const isTitle = ({ name }: FieldOf) =>
    records.length > 0 && records.every((record, i) => record.get(name) === said[i]);
  return fields.filter((field) => !isTitle(field)).slice(0, COLUMNS);
}

function inOneLine(error: unknown, t: (sentence: string) => string): string {
  const { title, detail } = explain(error, t);
  return `${title}. ${detail}`;
}
