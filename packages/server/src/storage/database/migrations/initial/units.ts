import { CREATED_BY_ANY, CREATED_BY_USER, ORGANISATION } from './columns'

export const UNITS: readonly string[] = [
  `CREATE TABLE procedures (
    id integer PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    identifier text,
    identifier_folded text,
    name text NOT NULL,
    name_folded text NOT NULL,
    ${CREATED_BY_USER},
    repository_settings text,
    ${ORGANISATION},
    UNIQUE (identifier_folded, organisation_id)
  )`,
  `CREATE TABLE procedure_versions (
    id bigint PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    procedure_id bigint NOT NULL REFERENCES procedures (id) ON DELETE CASCADE,
    tag text NOT NULL,
    tag_folded text NOT NULL,
    ${CREATED_BY_ANY},
    UNIQUE (procedure_id, tag_folded)
  )`,
  `CREATE TABLE station_procedures (
    station_id bigint NOT NULL REFERENCES stations (id) ON DELETE CASCADE,
    procedure_id bigint NOT NULL REFERENCES procedures (id) ON DELETE CASCADE,
    PRIMARY KEY (station_id, procedure_id)
  )`,
  `CREATE TABLE parts (
    id integer PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    number text NOT NULL,
    number_folded text NOT NULL,
    name text NOT NULL,
    ${CREATED_BY_ANY},
    updated_at_us bigint,
    image_id text,
    ${ORGANISATION},
    UNIQUE (number_folded, organisation_id)
  )`,
  `CREATE TABLE revisions (
    id bigint PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    part_id bigint NOT NULL REFERENCES parts (id),
    number text NOT NULL,
    number_folded text NOT NULL,
    ${CREATED_BY_ANY},
    image_id text,
    UNIQUE (part_id, number_folded)
  )`,
  `CREATE TABLE batches (
    id integer PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    number text NOT NULL,
    number_folded text NOT NULL,
    ${CREATED_BY_ANY},
    ${ORGANISATION},
    UNIQUE (number_folded, organisation_id)
  )`,
  `CREATE TABLE units (
    id integer PRIMARY KEY,
    public_id text NOT NULL UNIQUE,
    serial_number text NOT NULL,
    serial_number_folded text NOT NULL,
    revision_id bigint NOT NULL REFERENCES revisions (id),
    parent_unit_id bigint REFERENCES units (id),
    batch_id bigint REFERENCES batches (id),
    sample text,
    ${CREATED_BY_ANY},
    created_by_run_id bigint,
    image_id text,
    ${ORGANISATION},
    UNIQUE (serial_number_folded, organisation_id)
  )`,
  `CREATE TABLE unit_metadata (
    unit_id bigint NOT NULL REFERENCES units (id) ON DELETE CASCADE,
    name text NOT NULL,
    value_type text NOT NULL,
    text_value text NOT NULL,
    number_value double precision,
    PRIMARY KEY (unit_id, name)
  )`,
]
