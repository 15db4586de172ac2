import { FileText } from 'lucide-react'

/** Leads to the page as plain Markdown, for a shell or an assistant. */
export function MarkdownLink({ address }: { address: string }) {
  return (
    <a
      href={address}
      title="This page as Markdown, for a shell or an assistant"
      className="inline-flex items-center gap-1 text-sm"
    >
      <FileText aria-hidden className="size-4" />
      Markdown
    </a>
  )
}
