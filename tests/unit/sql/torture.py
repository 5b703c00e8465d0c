"""Statements that real applications send, with the literals of each counted by hand.

A literal's value is as `literals_of` gives it: with its sign, adjacent strings joined, escapes and
introducers gone. UNREAD are those that the parser cannot read even when masked: their literals have
no columns, and everything else works."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """One statement and the values of its literals, in order."""

    name: str
    sql: bytes
    values: tuple[bytes, ...]


def case(name: str, sql: str | bytes, *values: str | bytes) -> Case:
    """Text is UTF-8."""
    return Case(name, _bytes(sql), tuple(map(_bytes, values)))


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def _thousand_rows() -> Case:
    rows = ",".join(f"({i},'name {i}',x'{i:04x}',NULL,{i}.50)" for i in range(1000))
    values = [
        v
        for i in range(1000)
        for v in (str(i).encode(), f"name {i}".encode(), i.to_bytes(2, "big"), f"{i}.50".encode())
    ]
    sql = f"INSERT INTO bulk (id,name,bin,n,amt) VALUES {rows}"
    return case("insert 1000 rows", sql, *values)


def _megabyte() -> Case:
    written = rb"\0\Z\'abcdefg" * 90_000
    return case(
        "1 MB blob",
        b"INSERT INTO f (id, b) VALUES (1, _binary'" + written + b"')",
        b"1",
        b"\0\x1a'abcdefg" * 90_000,
    )


CASES: tuple[Case, ...] = (
    # frameworks
    case("wp upsert", "INSERT INTO `wp_options` (`option_name`, `option_value`, `autoload`) VALUES ('_transient_x', 'a:1:{i:0;s:3:\"a\\'b\";}', 'yes') ON DUPLICATE KEY UPDATE `option_name` = VALUES(`option_name`)", "_transient_x", "a:1:{i:0;s:3:\"a'b\";}", "yes"),
    case("8.0.19 row alias upsert", "INSERT INTO t (a,b) VALUES (1,'x') AS new ON DUPLICATE KEY UPDATE b = CONCAT(new.b, '!')", "1", "x", "!"),
    case("wp meta", "SELECT SQL_CALC_FOUND_ROWS wp_posts.ID FROM wp_posts LEFT JOIN wp_postmeta ON (wp_posts.ID = wp_postmeta.post_id) WHERE 1=1 AND wp_postmeta.meta_key = '_price' AND wp_postmeta.meta_value <= '99.5' ORDER BY wp_posts.post_date DESC LIMIT 0, 10", "1", "1", "_price", "99.5", "0", "10"),
    case("magento eav", "SELECT `e`.*, IF(at_status.value_id > 0, at_status.value, at_status_default.value) AS `status` FROM `catalog_product_entity` AS `e` INNER JOIN `catalog_product_entity_int` AS `at_status` ON (`at_status`.`entity_id` = `e`.`entity_id`) AND (`at_status`.`attribute_id` = '97') AND (`at_status`.`store_id` = 0) WHERE (IF(at_status.value_id > 0, at_status.value, at_status_default.value) = '1')", "0", "97", "0", "0", "1"),
    case("magento cron", "UPDATE `cron_schedule` SET `status` = 'running', `executed_at` = '2026-11-30 10:00:00' WHERE `schedule_id` = 7 AND `status` = 'pending'", "running", "2026-11-30 10:00:00", "7", "pending"),
    case("magento seq", "INSERT INTO `sequence_order_1` (`sequence_value`) VALUES (NULL)"),
    case("django", "SELECT `auth_user`.`id`, `auth_user`.`password` FROM `auth_user` WHERE `auth_user`.`username` = 'o\\'hara' LIMIT 21", "o'hara", "21"),
    case("django for update", "SELECT `a`.`id` FROM `a` WHERE `a`.`id` IN (1, 2) FOR UPDATE OF `a` SKIP LOCKED", "1", "2"),
    case("rails", "SELECT `users`.* FROM `users` WHERE `users`.`email` = 'a@b.test' LIMIT 1 /*application:Shop,controller:o'brien*/", "a@b.test", "1"),
    case("rails hint", "SELECT /*+ INDEX(users idx_email) NO_MERGE(d) */ `users`.* FROM `users` WHERE `users`.`id` = 5", "5"),
    case("hibernate", "/* insert com.acme.Loan */insert into loan (amount, user_id, id) values (12.50, 7, 99)", "12.50", "7", "99"),
    case("hibernate page", "select o1_0.id from orders o1_0 where o1_0.state in ('A','B') order by o1_0.id limit 20, 10", "A", "B", "20", "10"),
    case("laravel", "select exists(select * from `carts` where `token` = 'x' and `deleted_at` is null) as `exists`", "x"),
    case("laravel lock", "select * from `jobs` where `queue` = 'default' and ((`reserved_at` is null and `available_at` <= 1796036400) or (`reserved_at` <= 1796036310)) order by `id` asc limit 1 for update", "default", "1796036400", "1796036310", "1"),
    case("shopware uuid", "SELECT LOWER(HEX(`order`.`id`)) FROM `order` WHERE `order`.`id` = UNHEX('0189ab') LIMIT 1", "0189ab", "1"),
    case("shopware binary", rb"""INSERT INTO `cart` (`token`, `payload`) VALUES ('tok', _binary'\0\Zx\'\"') ON DUPLICATE KEY UPDATE `payload` = VALUES(`payload`)""", "tok", b"\0\x1ax'\""),
    # locks, indexes and hints
    case("share mode", "SELECT * FROM t WHERE id = 1 LOCK IN SHARE MODE", "1"),
    case("for share nowait", "SELECT * FROM t WHERE id = 1 FOR SHARE NOWAIT", "1"),
    case("mariadb wait", "SELECT * FROM t WHERE id = 1 FOR UPDATE WAIT 5", "1", "5"),
    case("index hints", "SELECT * FROM t USE INDEX (a) IGNORE INDEX FOR ORDER BY (b) WHERE x = 1 ORDER BY b", "1"),
    case("force index", "SELECT * FROM t1 AS a FORCE INDEX (PRIMARY, `k1`) WHERE a.id = 5", "5"),
    case("straight_join", "SELECT STRAIGHT_JOIN a.id FROM a JOIN b ON a.id=b.id WHERE a.x = 1", "1"),
    case("straight_join op", "SELECT a.id FROM a STRAIGHT_JOIN b ON a.id=b.id WHERE a.x = 1", "1"),
    case("opt hint upd", "UPDATE /*+ NO_INDEX_MERGE(t) */ t SET a = 1 WHERE b = 2", "1", "2"),
    case("opt hint ins", "INSERT /*+ SET_VAR(foreign_key_checks=OFF) */ INTO t VALUES (1)", "1"),
    # comments
    case("version comment", "/*!40101 SET NAMES utf8mb4 */"),
    case("version comment in select", "SELECT /*!40001 SQL_NO_CACHE */ * FROM t WHERE id = 1", "1"),
    case("version comment ins", "INSERT INTO t (a) VALUES (1) /*!50100 ON DUPLICATE KEY UPDATE a = 2 */", "1", "2"),
    case("hash comment", "SELECT 1 # trailing 'comment\n FROM t WHERE a = 2", "1", "2"),
    case("dash comment", "SELECT 5--1 FROM t WHERE a = 2 -- it's\n AND b = 3", "5", "-1", "2", "3"),
    # introducers, hex, bit, national and adjacent strings
    case("_utf8mb4", "SELECT * FROM t WHERE a = _utf8mb4'x' COLLATE utf8mb4_bin", "x"),
    case("_latin1 hex", "SELECT _latin1 x'4D7953514C'", "MySQL"),
    case("_utf8 bare", "SELECT _utf8'abc', _latin1 'x' = BINARY 'X'", "abc", "x", "X"),
    case("x''", "SELECT * FROM d WHERE id = x'82ABF37AE03B4A33'", b"\x82\xab\xf3\x7a\xe0\x3b\x4a\x33"),
    case("X'' up", "SELECT * FROM d WHERE id = X'82abf37a'", b"\x82\xab\xf3\x7a"),
    case("0x odd", "SELECT * FROM d WHERE id = 0xF", b"\x0f"),
    case("0x", "SELECT * FROM d WHERE id = 0x82ABF37A", b"\x82\xab\xf3\x7a"),
    case("b''", "UPDATE t SET flag = b'1' WHERE id = 3", b"\x01", "3"),
    case("0b", "UPDATE t SET flag = 0b01 WHERE id = 3", b"\x01", "3"),
    case("N''", "INSERT INTO t (a) VALUES (N'é')", "é"),
    case("adjacent strings", "SELECT * FROM t WHERE a = 'foo' 'bar'", "foobar"),
    # session
    case("set names", "SET NAMES 'utf8mb4' COLLATE 'utf8mb4_unicode_ci'", "utf8mb4", "utf8mb4_unicode_ci"),
    case("set names bare", "SET NAMES utf8mb4"),
    case("set multi", "SET SESSION sql_mode='STRICT_TRANS_TABLES', @@SESSION.wait_timeout = 2147483, autocommit=1", "STRICT_TRANS_TABLES", "2147483", "1"),
    case("set rails", "SET  @@SESSION.sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES'),  @@SESSION.sql_auto_is_null = 0", ",STRICT_ALL_TABLES", "0"),
    case("set autocommit", "set autocommit=0", "0"),
    case("user var", "SELECT @r := @r + 1 AS rank, t.* FROM t, (SELECT @r := 0) x WHERE t.a = 5", "1", "0", "5"),
    case("set var sub", "SET @id := (SELECT id FROM t WHERE a = 'x' LIMIT 1)", "x", "1"),
    case("select into var", "SELECT id INTO @id FROM t WHERE a = 'x'", "x"),
    case("call", "CALL bump('otp:+1', 5, @out)", "otp:+1", "5"),
    # transactions
    case("xa start", "XA START 'gtrid','bqual',1", "gtrid", "bqual", "1"),
    case("xa hex", "XA START 0x67747269,0x6271,0x1", "gtri", "bq", b"\x01"),
    case("xa prepare", "XA PREPARE 'gtrid','bqual',1", "gtrid", "bqual", "1"),
    case("savepoint", "SAVEPOINT active_record_1"),
    case("release", "RELEASE SAVEPOINT active_record_1"),
    case("rollback to", "ROLLBACK TO SAVEPOINT active_record_1"),
    case("begin work", "BEGIN WORK"),
    case("start snapshot", "START TRANSACTION WITH CONSISTENT SNAPSHOT"),
    case("start ro", "START TRANSACTION READ ONLY"),
    case("commit chain", "COMMIT AND CHAIN NO RELEASE"),
    case("rollback", "ROLLBACK"),
    case("iso level", "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"),
    # inserts
    _thousand_rows(),
    case("insert select", "INSERT INTO arch (id,a) SELECT id, 'arch' FROM t WHERE created < '2026-01-01' ON DUPLICATE KEY UPDATE a = VALUES(a)", "arch", "2026-01-01"),
    case("insert ignore", "INSERT IGNORE INTO t (a) VALUES ('x')", "x"),
    case("insert set", "INSERT INTO devices SET id = x'AB', user_id = 'u', ip = INET6_ATON('203.0.113.9')", b"\xab", "u", "203.0.113.9"),
    case("insert no cols", "INSERT INTO t VALUES (1, 'a', DEFAULT, NULL)", "1", "a"),
    case("insert delayed pri", "INSERT LOW_PRIORITY INTO t (a) VALUES (1)", "1"),
    case("insert returning", "INSERT INTO t (a) VALUES ('x') RETURNING id", "x"),
    case("insert empty", "INSERT INTO t () VALUES ()"),
    case("insert value", "INSERT INTO t (a) VALUE ('x')", "x"),
    case("insert table stmt", "INSERT INTO t TABLE t2"),
    case("replace", "REPLACE INTO sessions (id, data) VALUES ('s1', 'd')", "s1", "d"),
    case("replace set", "REPLACE INTO sessions SET id = 's1', data = 'd'", "s1", "d"),
    case("load data", "LOAD DATA LOCAL INFILE '/tmp/x.csv' INTO TABLE t FIELDS TERMINATED BY ',' ENCLOSED BY '\"' LINES TERMINATED BY '\\n' (a, b)", "/tmp/x.csv", ",", '"', "\n"),
    # JSON and full text
    case("json ->>", "SELECT j->>'$.user.id', j->'$.a[0]' FROM t WHERE j->>'$.email' = 'a@b.test'", "$.user.id", "$.a[0]", "$.email", "a@b.test"),
    case("json_set", "UPDATE t SET j = JSON_SET(j, '$.pm', 5, '$.o', CAST('{\"a\": 1}' AS JSON)) WHERE id = 3", "$.pm", "5", "$.o", '{"a": 1}', "3"),
    case("member of", "SELECT * FROM t WHERE 5 MEMBER OF (j->'$.tags')", "5", "$.tags"),
    case("json_table", "SELECT jt.id FROM t, JSON_TABLE(t.j, '$[*]' COLUMNS (id INT PATH '$.id', n VARCHAR(10) PATH '$.n')) AS jt WHERE t.id = 4", "$[*]", "$.id", "10", "$.n", "4"),
    case("match", "SELECT * FROM p WHERE MATCH(`title`,body) AGAINST('+foo -bar*' IN BOOLEAN MODE) > 0.5", "+foo -bar*", "0.5"),
    case("match expansion", "SELECT * FROM p WHERE MATCH(a) AGAINST ('x' WITH QUERY EXPANSION)", "x"),
    # expressions
    case("interval", "SELECT * FROM t WHERE created > NOW() - INTERVAL 30 DAY AND x < DATE_ADD('2026-01-01', INTERVAL '1:30' MINUTE_SECOND)", "30", "2026-01-01", "1:30"),
    case("interval first", "SELECT INTERVAL 1 HOUR + NOW()", "1"),
    case("group_concat", "SELECT GROUP_CONCAT(DISTINCT a ORDER BY b DESC SEPARATOR ', ') FROM t WHERE c = 3", ", ", "3"),
    case("group_concat limit", "SELECT GROUP_CONCAT(a ORDER BY b SEPARATOR '|' LIMIT 3) FROM t", "|", "3"),
    case("window", "SELECT ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY id DESC) rn, SUM(x) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM t WHERE a = 'x'", "2", "x"),
    case("cte", "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5) SELECT * FROM c", "1", "1", "5"),
    case("cte update", "WITH x AS (SELECT id FROM t WHERE a = 'q') UPDATE t JOIN x ON x.id = t.id SET t.b = 7", "q", "7"),
    case("partition sel", "SELECT * FROM t PARTITION (p0, p1) WHERE id = 5", "5"),
    case("delete multi", "DELETE t1, t2 FROM t1 INNER JOIN t2 ON t1.id = t2.id WHERE t1.a = 'x'", "x"),
    case("delete multi using", "DELETE FROM t1, t2 USING t1 JOIN t2 ON t1.id=t2.id WHERE t1.a = 5", "5"),
    case("delete order limit", "DELETE FROM sessions WHERE exp < 1732 ORDER BY exp LIMIT 100", "1732", "100"),
    case("delete quick", "DELETE LOW_PRIORITY QUICK IGNORE FROM t WHERE id = 3", "3"),
    case("update join", "UPDATE a JOIN b ON a.id = b.a_id SET a.x = b.y + 1, b.z = 'q' WHERE b.k = 'v'", "1", "q", "v"),
    case("update comma", "UPDATE a, b SET a.x = 5 WHERE a.id = b.id AND b.k = 'v'", "5", "v"),
    case("update order limit", "UPDATE IGNORE t SET a = a + 1 WHERE s = 'x' ORDER BY id DESC LIMIT 1", "1", "x", "1"),
    case("update case", "UPDATE t SET v = CASE id WHEN 1 THEN 'a' WHEN 2 THEN 'b' ELSE v END WHERE id IN (1, 2)", "1", "a", "2", "b", "1", "2"),
    case("truncate", "TRUNCATE TABLE `cache_tag`"),
    case("handler open", "HANDLER t OPEN"),
    case("handler read", "HANDLER t READ idx = (5) LIMIT 3", "5", "3"),
    case("do", "DO RELEASE_LOCK('job:5')", "job:5"),
    case("get_lock", "SELECT GET_LOCK('job:5', 10)", "job:5", "10"),
    # administration
    case("show", "SHOW FULL COLUMNS FROM `users` LIKE 'a%'", "a%"),
    case("show create", "SHOW CREATE TABLE `t`"),
    case("show session var", "SHOW SESSION VARIABLES WHERE Variable_name = 'sql_mode'", "sql_mode"),
    case("show warnings", "SHOW WARNINGS"),
    case("explain", "EXPLAIN FORMAT=JSON SELECT * FROM t WHERE a = 1", "1"),
    case("describe", "DESCRIBE users"),
    case("prepare", "PREPARE s FROM 'SELECT * FROM t WHERE a = ?'", "SELECT * FROM t WHERE a = ?"),
    case("execute", "EXECUTE s USING @a, @b"),
    case("deallocate", "DEALLOCATE PREPARE s"),
    # strings
    case("ansi dq string", r'SELECT * FROM t WHERE name = "O\'Brien \"x\""', "O'Brien \"x\""),
    case("dq doubled", "SELECT \"say \"\"hi\"\"\", 'it''s'", 'say "hi"', "it's"),
    case("backslash esc", r"INSERT INTO t (a) VALUES ('a\'b\\c\n\t\0\Z\%\_\x')", b"a'b\\c\n\t\0\x1a\\%\\_x"),
    case("nobackslash end", r"SELECT * FROM t WHERE path = 'C:\\' AND x = 'y'", "C:\\", "y"),
    case("emoji", "INSERT INTO t (a) VALUES ('🚪🎉 Őze — naïve')", "🚪🎉 Őze — naïve"),
    case("raw NUL", b"INSERT INTO t (a) VALUES ('ab\0cd')", b"ab\0cd"),
    case("raw newline in str", "INSERT INTO t (a) VALUES ('line1\nline2;\n-- no comment')", "line1\nline2;\n-- no comment"),
    _megabyte(),
    case("latin1 bytes", b"INSERT INTO f (b) VALUES (_binary'\xad\xd3\xef')", b"\xad\xd3\xef"),
    case("neg/float/exp", "SELECT * FROM t WHERE a = -5 AND b = 1.5e-3 AND c = .5 AND d = 1e10", "-5", "1.5e-3", ".5", "1e10"),
    case("null-safe eq", "SELECT * FROM t WHERE a <=> NULL AND NOT b <=> 'x'", "x"),
    case("ops", "SELECT * FROM t WHERE a && b || c XOR d AND e DIV 2 = 1 AND f MOD 3 = 2 AND g % 4 = 0 AND h << 1", "2", "1", "3", "2", "4", "0", "1"),
    case("regexp", "SELECT * FROM t WHERE a RLIKE '^x' AND b NOT REGEXP 'y$' AND c SOUNDS LIKE 'z'", "^x", "y$", "z"),
    case("like escape", "SELECT * FROM t WHERE a LIKE '10!%' ESCAPE '!'", "10!%", "!"),
    case("between row", "SELECT * FROM t WHERE (a,b) IN ((1,'x'),(2,'y')) AND c BETWEEN '2026-01-01' AND '2026-12-31'", "1", "x", "2", "y", "2026-01-01", "2026-12-31"),
    case("typed literals", "SELECT * FROM t WHERE a = DATE'2026-01-01' AND b = TIMESTAMP'2026-01-01 10:00:00' AND c = TIME '10:00'", "2026-01-01", "2026-01-01 10:00:00", "10:00"),
    case("odbc escape", "SELECT {d '2026-01-01'}, {ts '2026-01-01 10:00:00'}", "2026-01-01", "2026-01-01 10:00:00"),
    case("odbc fn join", "SELECT * FROM {OJ a LEFT OUTER JOIN b ON a.id=b.id} WHERE a.x = 1", "1"),
    case("keyword cols", "SELECT t.key, t.order, t.group FROM t WHERE t.rank = 1 AND t.status = 'x'", "1", "x"),
    case("values stmt", "VALUES ROW(1,'a'), ROW(2,'b')", "1", "a", "2", "b"),
    case("table stmt", "TABLE t ORDER BY id LIMIT 5", "5"),
    case("lateral", "SELECT * FROM t, LATERAL (SELECT * FROM u WHERE u.id = t.id AND u.a = 5 LIMIT 1) x", "5", "1"),
    case("union paren", "(SELECT a FROM t WHERE b = 1) UNION ALL (SELECT a FROM u WHERE b = 2) ORDER BY a LIMIT 3", "1", "2", "3"),
    case("lock tables", "LOCK TABLES t WRITE, u AS x READ"),
    case("unlock", "UNLOCK TABLES"),
    case("use", "USE `shop`"),
    case("kill", "KILL QUERY 55", "55"),
    case("analyze", "ANALYZE TABLE t"),
    case("optimize", "OPTIMIZE TABLE t"),
    case("create temp", "CREATE TEMPORARY TABLE tmp (id INT PRIMARY KEY, k VARCHAR(10) COLLATE utf8mb4_bin DEFAULT 'n')", "10", "n"),
    case("create temp select", "CREATE TEMPORARY TABLE tmp ENGINE=InnoDB SELECT id FROM t WHERE a = 'x'", "x"),
    case("drop temp", "DROP TEMPORARY TABLE IF EXISTS tmp"),
    case("into outfile", "SELECT * FROM t WHERE a = 1 INTO OUTFILE '/tmp/x' FIELDS TERMINATED BY ','", "1", "/tmp/x", ","),
    case("procedure analyse", "SELECT a FROM t WHERE b = 'x' PROCEDURE ANALYSE(10, 2000)", "x", "10", "2000"),
    case("sql modifiers", "SELECT SQL_NO_CACHE HIGH_PRIORITY SQL_BIG_RESULT DISTINCT a FROM t WHERE b = 3", "3"),
    case("distinctrow", "SELECT DISTINCTROW a FROM t WHERE b = 3", "3"),
    case("rollup", "SELECT a, COUNT(*) FROM t WHERE c = 2 GROUP BY a WITH ROLLUP", "2"),
    case("convert using", "SELECT CONVERT(a USING utf8mb4), CAST(b AS UNSIGNED), CAST(c AS CHAR(10) CHARACTER SET utf8mb4) FROM t WHERE d = 'x'", "10", "x"),
    case("div decimal cast", "SELECT a / 100 FROM t WHERE b = '5' COLLATE utf8mb4_0900_ai_ci", "100", "5"),
    case("extract", "SELECT EXTRACT(YEAR_MONTH FROM d), TIMESTAMPDIFF(YEAR, dob, CURDATE()), DATE_FORMAT(d, '%Y-%m') FROM t WHERE id = 4", "%Y-%m", "4"),
    case("str_to_date", "SELECT STR_TO_DATE('30.11.2026', '%d.%m.%Y'), UNIX_TIMESTAMP(), FROM_UNIXTIME(1796036400, '%Y')", "30.11.2026", "%d.%m.%Y", "1796036400", "%Y"),
    case("if/ifnull", "SELECT IF(a = 1, 'y', 'n'), IFNULL(b, 0), NULLIF(c, ''), ISNULL(d), ELT(2,'a','b'), FIELD('a', e) FROM t WHERE x = 6", "1", "y", "n", "0", "", "2", "a", "b", "a", "6"),
    case("aes/sha", "UPDATE t SET ssn = AES_ENCRYPT('123-45-6789', 'key'), h = SHA2(CONCAT('salt', 'v'), 256) WHERE id = 8", "123-45-6789", "key", "salt", "v", "256", "8"),
    case("uuid fn", "INSERT INTO t (id, c) VALUES (UUID_TO_BIN(UUID(), 1), CURRENT_TIMESTAMP(6))", "1", "6"),
    case("uuid_to_bin lit", "SELECT * FROM t WHERE id = UUID_TO_BIN('58739e18-183e-4ff6-88fb-3cb33779a772')", "58739e18-183e-4ff6-88fb-3cb33779a772"),
    case("spatial", "SELECT id FROM s WHERE ST_Contains(g, ST_GeomFromText('POINT(1 2)', 4326))", "POINT(1 2)", "4326"),
    case("alias string", "SELECT a AS 'my col', b \"other\" FROM t WHERE c = 1", "my col", "other", "1"),
    case("schema-qualified", "SELECT `db`.`t`.`a` FROM `db`.`t` WHERE `db`.`t`.`a` = 'x'", "x"),
    case("ident digit", "SELECT * FROM `2fa` WHERE 2fa.x = 1", "1"),
    case("dollar ident", "SELECT a$b FROM t$1 WHERE c$ = 5", "5"),
    case("multi stmt", "SET @a = 1; SELECT * FROM t WHERE a = @a", "1"),
    case("mariadb for loop seq", "SELECT seq FROM seq_1_to_5 WHERE seq = 3", "3"),
    case("nextval", "SELECT NEXTVAL(s), NEXT VALUE FOR s"),
    case("system time", "SELECT * FROM t FOR SYSTEM_TIME AS OF TIMESTAMP'2026-01-01 00:00:00' WHERE id = 1", "2026-01-01 00:00:00", "1"),
    case("limit rows examined", "SELECT * FROM t WHERE id = 1 LIMIT 5 ROWS EXAMINED 100", "1", "5", "100"),
    case("delete returning", "DELETE FROM q WHERE id = 3 RETURNING payload", "3"),
    case("resignal etc GET DIAG", "GET DIAGNOSTICS CONDITION 1 @m = MESSAGE_TEXT", "1"),
    case("flush", "FLUSH TABLES WITH READ LOCK"),
    case("checksum", "CHECKSUM TABLE t"),
    case("change user db", "SELECT DATABASE(), USER(), VERSION(), CONNECTION_ID(), LAST_INSERT_ID(), FOUND_ROWS(), ROW_COUNT()"),
    case("sysvars", "SELECT @@session.transaction_isolation, @@global.read_only, @@version_comment LIMIT 1", "1"),
)  # fmt: skip

UNREAD = frozenset(
    {
        "call", "xa start", "xa hex", "xa prepare", "release", "start snapshot", "commit chain",
        "load data", "group_concat limit", "handler open", "handler read", "do",
        "prepare", "execute", "deallocate", "odbc fn join", "lock tables", "unlock", "optimize",
        "into outfile", "procedure analyse", "nextval", "resignal etc GET DIAG", "flush", "checksum",
    }
)  # fmt: skip
"""Transaction control, administration, and rare forms."""
