export interface Options {
  url?: string
}
