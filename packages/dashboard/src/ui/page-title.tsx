import { dropBidiControls } from '@runledger/presentation'

/** The title of the document. Texts of records may have marks that turn it around. */
export function PageTitle({ text }: { text: string }) {
  return <title>{`${dropBidiControls(text)} · Runledger`}</title>
}
