import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from '../../api/manage'
import { Unread } from '../../parts/unread'
import { StaleNotice } from '../../ui/error-state'
import { PageTitle } from '../../ui/page-title'
import { SettingsForm } from './settings-form'

/** The settings of the organisation. */
export function SettingsSection() {
  const read = useQuery(settingsQuery)
  return (
    <section aria-label="Settings" className="flex flex-col gap-4">
      <PageTitle text="Settings" />
      {read.data && read.error && <StaleNotice error={read.error} />}
      {read.data ? (
        <SettingsForm settings={read.data} />
      ) : (
        <Unread
          read={read}
          label="Reading the settings"
          title="The settings could not be read"
          rows={6}
          rowClass="h-16"
        />
      )}
    </section>
  )
}
