-- Shared by scripts that read hashes with a version: the field `form`, or 1 without it (stored-forms.ts).
--
-- Constants of all scripts: READS_FROM and READS_TO (oldest and newest version that this build reads), WRITE_VERSION

local function check_form(name, form)
  local version = tonumber(form or READS_FROM)
  if not version or version < READS_FROM or version > READS_TO then
    error('UNKNOWN_FORM ' .. name .. ' ' .. form)
  end
end
