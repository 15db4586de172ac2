interface CreatedBy {
  created_at_us: number
  created_by_user_id: number | null
}

export interface ProceduresTable extends CreatedBy {
  id: number
  public_id: string
  identifier: string | null
  identifier_folded: string | null
  name: string
  name_folded: string
}

export interface PartsTable extends CreatedBy {
  id: number
  public_id: string
  number: string
  number_folded: string
  name: string
}

export interface RevisionsTable extends CreatedBy {
  id: number
  public_id: string
  part_id: number
  number: string
  number_folded: string
}

export interface UnitsTable extends CreatedBy {
  id: number
  public_id: string
  serial_number: string
  serial_number_folded: string
  revision_id: number
  parent_unit_id: number | null
}
