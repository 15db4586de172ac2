import type { MetadataType, Sample } from '@runledger/protocol'

interface CreatedBy {
  created_at_us: number
  created_by_user_id: number | null
}

interface CreatedByAnyKey extends CreatedBy {
  created_by_station_id: number | null
}

export interface ProceduresTable extends CreatedBy {
  id: number
  public_id: string
  identifier: string
  identifier_folded: string
  name: string
  name_folded: string
  /** JSON of what a client sent about its repository; in no response yet. */
  repository_settings: string | null
}

export interface ProcedureVersionsTable extends CreatedByAnyKey {
  id: number
  public_id: string
  procedure_id: number
  tag: string
  tag_folded: string
}

export interface BatchesTable extends CreatedByAnyKey {
  id: number
  public_id: string
  number: string
  number_folded: string
}

export interface StationsTable extends CreatedBy {
  id: number
  public_id: string
  name: string
  name_folded: string
  /** As sent. */
  identifier: string | null
  image_id: string | null
  /** A deleted station stays for its runs. */
  deleted_at_us: number | null
}

export interface StationProceduresTable {
  station_id: number
  procedure_id: number
}

export interface PartsTable extends CreatedByAnyKey {
  id: number
  public_id: string
  number: string
  number_folded: string
  name: string
  updated_at_us: number | null
  image_id: string | null
}

export interface RevisionsTable extends CreatedByAnyKey {
  id: number
  public_id: string
  part_id: number
  number: string
  number_folded: string
  image_id: string | null
}

export interface UnitsTable extends CreatedByAnyKey {
  id: number
  public_id: string
  serial_number: string
  serial_number_folded: string
  revision_id: number
  parent_unit_id: number | null
  batch_id: number | null
  sample: Sample | null
  /** The run may be deleted since. */
  created_by_run_id: number | null
  image_id: string | null
}

export interface UnitMetadataTable {
  unit_id: number
  name: string
  value_type: MetadataType
  text_value: string
  number_value: number | null
}
