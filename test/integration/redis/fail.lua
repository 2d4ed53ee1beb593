-- A script that fails, for the test beside it.
return redis.error_reply('ERR broken on purpose')
