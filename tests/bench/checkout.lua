-- The transaction of tests/bench/peers/transaction.py for sysbench: the same statements and values.
sysbench.cmdline.options = {}

function thread_init()
  con = sysbench.sql.driver():connect()
end

local function word()
  return sysbench.rand.string("################################")
end

function event()
  con:query("BEGIN")
  for _ = 1, 14 do
    con:query(string.format("INSERT INTO orders (item, note) VALUES (%d, '%s')",
      sysbench.rand.uniform(1, 10000), word()))
  end
  for _ = 1, 44 do
    con:query(string.format("SELECT id, name FROM items WHERE id = %d", sysbench.rand.uniform(1, 10000)))
  end
  con:query("COMMIT")
end

function thread_done()
  con:disconnect()
end
